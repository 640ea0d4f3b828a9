import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { refusedChangesKey } from '../../../stored/changes/change-keys.ts'
import { markAcceptedSet } from '../../mark-run.ts'
import { document, documents } from './change-documents.ts'
import { ChangeSetTestbed, type ContextChange, withPublisher } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

const idHashText = (id: unknown) => createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

describe('the guard', () => {
  it('refuses a set that deletes too much, and leaves the tip', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const { manifest: first } = await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(89) })
    const chain = testbed.chain()
    const reason = 'The change set deletes 11 of 100 documents (11.0%); maxDeletePercent is 10.'
    const refused = { entity: 'CL', base: first.runId, runId, reason }
    expect(await testbed.compare()).toEqual({ status: 'refused', ...refused })
    expect(testbed.chain()).toEqual(chain)
    const [refusal = '', reviewed = ''] = testbed.keys(`changes/CL/${runId}`)
    expect(refusal).toBe(refusedChangesKey('CL', runId))
    const deletedIds = gunzipSync(testbed.s3.objects.get(reviewed)?.body ?? '')
      .toString()
      .split('\n')
    expect(deletedIds.slice(0, -1).toSorted()).toEqual(
      documents(100)
        .slice(89)
        .map((text) => idHashText(JSON.parse(text).id))
        .toSorted(),
    )
    expect(JSON.parse(testbed.text(refusedChangesKey('CL', runId)) ?? '')).toEqual({
      version: 1,
      entity: 'CL',
      runId,
      base: first.runId,
      kind: 'changes',
      refusedAt: new Date(testbed.now).toISOString(),
      reason,
      deleted: 11,
      baseDocuments: 100,
      reviewedParts: [expect.objectContaining({ key: reviewed, records: 11 })],
    })
    expect(testbed.events.at(-1)).toEqual({ type: 'Changes Refused', detail: refused })
  })

  it('counts deletes and not the difference: half replaced at an equal count is refused', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(40) })
    testbed.publish({ documents: documents(60).slice(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  })

  it('accepts the deletes once if they are accepted', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50) })
    expect(await testbed.compare({ runId, acceptDeletes: true })).toMatchObject({ status: 'published' })
    testbed.publish({ documents: documents(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  })

  it('lets a person review them if the item of the run does not accept them', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50) })
    const request = { entity: 'CL', runId, acceptDeletes: true }
    expect(await testbed.invoke({ task: 'compare', request })).toMatchObject({ status: 'refused' })
    expect(testbed.keys(`changes/CL/${runId}/refused`)).toHaveLength(1)
  })
})

describe('a refused set that is accepted', () => {
  const by = 'alice'
  let base: string
  let runId: string

  beforeEach(async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    base = (await testbed.next({ documents: documents(100) })).manifest.runId
    runId = testbed.publish({ documents: [...documents(50), document(200)] })
    await testbed.compare()
  })

  const accept = (who = by, change?: ContextChange) =>
    testbed.compare({ runId, acceptance: { reviewed: 'set', runId, by: who } }, change)
  const refusedFor = (reason: RegExp) => ({
    status: 'refused',
    reason: expect.stringMatching(reason) as string,
  })
  const expectRefused = async (reason: RegExp) => {
    const chain = testbed.chain()
    expect(await accept()).toMatchObject({ runId, ...refusedFor(reason) })
    expect(testbed.chain()).toEqual(chain)
  }

  it('is published as it was, and names who accepted it', async () => {
    const counts = { base, runId, created: 1, deleted: 50, by }
    expect(await accept()).toMatchObject({ status: 'published', ...counts })
    expect(testbed.chain()).toMatchObject({ tip: runId })
    expect(testbed.events.at(-1)).toMatchObject({ type: 'Changes Published', detail: counts })
    expect(testbed.logs.at(-1)).toMatchObject({ message: 'comparison ended', fields: { by } })
  })

  it('is published once: a repeated acceptance publishes and announces nothing', async () => {
    await accept()
    const [chain, events] = [testbed.chain(), testbed.events.length]
    expect(await accept('bob')).toMatchObject({ status: 'published', by })
    expect([testbed.chain(), testbed.events.length]).toEqual([chain, events])
  })

  const refusedAt = '2025-01-01T00:00:00.000Z'
  const refusedAgain =
    /^The change set of run \S+ was refused again since it was reviewed\. Review it again\.$/

  it('is refused if another comparison has refused it again since it was reviewed', async () => {
    const acceptance = { reviewed: 'set', runId, by, refusedAt } as const
    expect(await testbed.compare({ runId, acceptance })).toMatchObject(refusedFor(refusedAgain))
  })

  it.each([
    [
      'the set of a newer run',
      () => ({ runId: testbed.publish({ documents: documents(50) }) }),
      /^The newer run /,
    ],
    ['another refusal of the set', () => ({ runId, refusedAt }), refusedAgain],
  ])('ends at once if %s is accepted while it is compared', async (_, accepted, reason) => {
    let asked = 0
    const change = withPublisher(({ publishSet }) => ({
      publishSet(request) {
        asked++
        markAcceptedSet(testbed.dynamodb, { by: 'bob', ...accepted() })
        return publishSet(request)
      },
    }))
    expect(await accept(by, change)).toMatchObject(refusedFor(reason))
    expect(asked).toBe(1)
  })

  it('deletes no document that the review did not show, whatever the comparison would delete now', async () => {
    const key = refusedChangesKey('CL', runId)
    const refused = JSON.parse(testbed.text(key) ?? '')
    const [part] = refused.reviewedParts
    const shown = gunzipSync(testbed.s3.objects.get(part.key)?.body ?? '')
      .toString()
      .split('\n')
      .slice(1)
    const body = gzipSync(shown.join('\n'))
    testbed.overwrite(part.key, body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const reviewedParts = [{ ...part, records: part.records - 1, bytes: body.length, sha256 }]
    testbed.overwrite(key, Buffer.from(JSON.stringify({ ...refused, reviewedParts })))
    expect(await accept()).toMatchObject({ status: 'published', deleted: 49, withheld: 1, created: 1 })
    // It was absent once, as from a snapshot that is not exact.
    testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 30 }
    const { manifest } = await testbed.next({
      documents: [...documents(50), document(200)],
      proof: 'within-tolerance',
    })
    expect(manifest).toMatchObject({ deleted: 1, withheld: 0 })
  })

  it('is refused if an older release did not record which documents it deletes', async () => {
    const key = refusedChangesKey('CL', runId)
    const { reviewedParts: _, ...refused } = JSON.parse(testbed.text(key) ?? '')
    testbed.overwrite(key, Buffer.from(JSON.stringify(refused)))
    await expectRefused(/does not record which documents the set deletes.* Start a new sync\.$/)
  })

  it('is refused once a newer run has published', async () => {
    const newer = testbed.publish({ documents: documents(60) })
    await expectRefused(new RegExp(`^The newer run ${newer} has published`))
  })

  it('is refused if a page of the snapshot at the tip is gone', async () => {
    const [page = ''] = testbed.keys(`snapshots/CL/${base}/`)
    testbed.s3.objects.delete(page)
    await expectRefused(/^The tip's snapshot is gone.* Start a new sync, which resets the chain\.$/)
  })

  it('is refused if the configuration would make it another set now', async () => {
    testbed.changes = { ignore: ['v'], maxDeletePercent: 10, keepDays: 30 }
    await expectRefused(/would be a reset \(The ignored fields changed\.\), which is not what was reviewed/)
  })
})
