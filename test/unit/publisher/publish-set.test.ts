import { beforeEach, describe, expect, it } from 'vitest'
import { hourMs } from '../../../functions/runtime/durations.ts'
import {
  changesLatestKey,
  proposalKey,
  setManifestKey,
  setPrefix,
} from '../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'
import type { SetRequest } from '../../../stored/changes/publication.ts'
import { latestKey } from '../../../stored/snapshots/manifest.ts'
import { numbersToTry } from '../../case-count.ts'
import { entityNamed } from '../../entity-named.ts'
import { inProcessPublisher } from '../../in-process-publisher.ts'
import { markAcceptedSet, markRun } from '../../mark-run.ts'
import {
  ChangeSetTestbed,
  type CompareOptions,
  numberedDocuments as documents,
  withPublisher,
} from '../compare/change-set-testbed.ts'
import { callsOf, interleave, withCall } from '../store-calls.ts'

let testbed: ChangeSetTestbed
let runId: string
let proposal: string

const crashing = withPublisher(() => ({
  publishSet: () => Promise.reject(new Error('The comparison crashed.')),
}))

/** Proposes the set of the published snapshot, which is not published. */
async function propose(options?: CompareOptions): Promise<void> {
  await testbed.compare(options, crashing).catch(() => undefined)
  const [key = ''] = testbed.keys(`${setPrefix('CL', runId)}proposal-`)
  proposal = key
}

async function prepare(): Promise<void> {
  testbed = new ChangeSetTestbed()
  await testbed.next({ documents: documents(2) })
  runId = testbed.publish({ documents: documents(3) })
  await propose()
}

beforeEach(prepare)

/** Publishes the set of an older snapshot, and then this one from there. */
async function publishFromAnotherTip(): Promise<void> {
  const latest = testbed.text(latestKey('CL')) ?? ''
  testbed.publish({ documents: documents(1), afterMs: -hourMs })
  await testbed.compare()
  testbed.now += hourMs
  testbed.overwrite(latestKey('CL'), Buffer.from(latest))
  await testbed.compare({ runId })
}

/** Publishes the set after the chain's state was erased. */
async function publishReset(): Promise<void> {
  testbed.overwrite(changesLatestKey('CL'), Buffer.from(chainWith({ reset: 'Why.' })))
  await testbed.compare({ runId })
}

function publish(change: Partial<SetRequest> = {}) {
  const { s3, dynamodb: table, now, changes } = testbed
  const entities = () => [entityNamed('CL', { changes })]
  const publisher = inProcessPublisher({ table, bucket: 'bucket', s3, now: () => now, entities })
  return publisher.publishSet({ entity: 'CL', runId, proposal, ...change })
}

/** Stores the proposal with a change, under a name of its own. */
function proposed(change: Partial<SetManifest>): string {
  const key = proposalKey({ entity: 'CL', runId }, 'changed')
  const value = { ...JSON.parse(testbed.text(proposal) ?? ''), ...change }
  testbed.overwrite(key, Buffer.from(JSON.stringify(value)))
  return key
}

const chainWith = (change: object) => JSON.stringify({ ...testbed.chain(), ...change })

describe('a proposed set', () => {
  it('is published once, and may be asked for again', async () => {
    expect(await publish()).toEqual({ kind: 'published', unannounced: [runId] })
    const set = testbed.set(runId).manifest
    expect(testbed.chain()).toMatchObject({ tip: runId, announced: false })
    for (const again of [proposal, undefined])
      expect(await publish({ proposal: again })).toEqual({ kind: 'published', unannounced: [runId] })
    expect(testbed.set(runId).manifest).toEqual(set)
    // As erasure leaves the chain.
    testbed.overwrite(changesLatestKey('CL'), Buffer.from(chainWith({ sets: [] })))
    expect(await publish({ proposal: undefined })).toMatchObject({ kind: 'published' })
  })

  it('does not replace the set that another publication publishes from another tip', async () => {
    const calls = await callsOf(testbed, () => publish())
    for (const call of numbersToTry(calls)) {
      await prepare()
      const happens = { kind: 'rival', work: publishFromAnotherTip } as const
      await withCall(testbed, { call, happens }, () => publish())
      const { sets = [] } = testbed.chain() ?? {}
      expect(testbed.set(runId).manifest.base).toBe(sets.at(-2)?.runId)
    }
  })

  it('does not replace the set with which another publication lets the chain start again', async () => {
    const calls = await callsOf(testbed, () => publish())
    await prepare()
    const others = await callsOf(testbed, publishReset)
    for (const call of numbersToTry(calls))
      for (let other = 1; other <= others; other++) {
        await prepare()
        await interleave(testbed, { call, work: () => publish() }, { call: other, work: publishReset })
        expect(testbed.chain()?.sets.at(-1)?.kind).toBe(testbed.set(runId).manifest.kind)
      }
  })

  it.each<[string, () => void]>([
    ['damaged', () => (proposal = proposed({ created: 2 } as object))],
    ['outdated', () => testbed.overwrite(changesLatestKey('CL'), Buffer.from(chainWith({ reset: 'Why.' })))],
  ])('tells how it ended if it is asked again: %s', async (kind, change) => {
    change()
    const ask = (later: number, key = proposal) =>
      publish({ proposal: undefined, proposed: { key, at: testbed.now + later } })
    expect(await ask(0)).toEqual({ kind: 'checking' })
    const result = await publish()
    expect(result).toMatchObject({ kind })
    expect(await ask(0)).toEqual(result)
    expect(await ask(1)).toEqual({ kind: 'checking' })
    expect(await ask(0, 'another')).toEqual({ kind: 'checking' })
  })

  it('counts nothing of a reset', async () => {
    testbed = new ChangeSetTestbed()
    runId = testbed.publish({ documents: documents(2) })
    await propose()
    await publish({ proposal: proposed({ created: 5, updated: 6, deleted: 7 } as object) })
    expect(testbed.chain()?.sets).toMatchObject([{ created: 0, updated: 0, deleted: 0 }])
  })

  it('names the set at the tip that nobody has announced', async () => {
    const { tip } = testbed.chain() ?? {}
    testbed.overwrite(changesLatestKey('CL'), Buffer.from(chainWith({ announced: false })))
    expect(await publish()).toEqual({ kind: 'published', unannounced: [tip, runId] })
  })

  it.each<[string, () => Partial<SetRequest>, RegExp]>([
    ['of another run', () => ({ proposal: proposal.replace(runId, 'r') }), /is no proposal of the run/],
    ['that is another object', () => ({ proposal: setPrefix('CL', runId) }), /is no proposal of the run/],
    ['that is missing', () => ({ proposal: proposalKey({ entity: 'CL', runId }, 'x') }), /is missing/],
    ['with another run in it', () => ({ proposal: proposed({ runId: 'r' }) }), /is of CL and r/],
    ['of another entity', () => ({ proposal: proposed({ entity: 'AD' }) }), /is of AD/],
    ['that somebody accepted', () => ({ proposal: proposed({ by: 'eve' }) }), /Nothing shows that anybody/],
    ['that counts something else', () => ({ proposal: proposed({ created: 2 } as object) }), /created/],
  ])('%s, of which nothing is stored, is not published', async (_, change, reason) => {
    const chain = testbed.chain()
    expect(await publish(change())).toEqual({
      kind: 'damaged',
      reason: expect.stringMatching(reason) as string,
    })
    expect(testbed.chain()).toEqual(chain)
    expect(testbed.keys(setPrefix('CL', runId)).filter((key) => key.endsWith('/manifest.json'))).toEqual([])
  })

  it.each<[string, object]>([
    ['has another tip', { tip: '20260102T000000000Z-other' }],
    ['starts again', { reset: 'Why.' }],
    ['has the set of a newer snapshot', { snapshot: { runId: '20990101T000000000Z-other' } }],
  ])('is outdated if the chain %s', async (_, change) => {
    testbed.overwrite(changesLatestKey('CL'), Buffer.from(chainWith(change)))
    expect(await publish()).toEqual({ kind: 'outdated' })
  })

  it('is refused by the guard of the deployment, unless its deletes are accepted', async () => {
    testbed = new ChangeSetTestbed()
    await testbed.next({ documents: documents(40) })
    runId = testbed.publish({ documents: documents(20) })
    await propose()
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const reason = 'The change set deletes 20 of 40 documents (50.0%); maxDeletePercent is 10.'
    expect(await publish()).toEqual({ kind: 'refused', reason, deleted: 20, baseDocuments: 40 })
    markRun(testbed.dynamodb, runId, { acceptDeletes: true })
    expect(await publish()).toMatchObject({ kind: 'published' })
  })

  it.each([
    ['', 'damaged', undefined],
    ['an older run', 'damaged', undefined],
    ['a newer run', 'outdated', undefined],
    ['its run', 'published', 'bob'],
    ['its run as it was refused before', 'outdated', undefined],
  ])('deletes what a person accepted if the item of the entity has that: %s', async (stored, kind, by) => {
    testbed = new ChangeSetTestbed()
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(40) })
    runId = testbed.publish({ documents: documents(20) })
    await testbed.compare()
    await propose({ acceptance: { reviewed: 'set', runId, by: 'alice' } })
    const runs: Readonly<Record<string, string>> = { '': '', 'an older run': '1', 'a newer run': '3' }
    const refusedAt = stored.endsWith('before') ? '2026-01-01T00:00:00.000Z' : undefined
    markAcceptedSet(testbed.dynamodb, { runId: runs[stored] ?? runId, by: 'bob', refusedAt })
    expect(await publish()).toMatchObject({ kind })
    const set = JSON.parse(testbed.text(setManifestKey('CL', runId)) ?? '{}') as Partial<SetManifest>
    expect(set.by).toBe(by)
  })

  it('fails without change sets in the deployment', async () => {
    testbed.changes = false
    const reason = 'The entity CL has no change sets.'
    expect(await publish()).toMatchObject({ kind: 'damaged', reason })
  })
})
