import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { ComparisonFailed } from '../../../functions/compare/failure.ts'
import { createChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import { changesLatestKey, refusedChangesKey } from '../../../functions/state/changes/changes.ts'
import { manifestKey, runPrefix } from '../../../functions/state/snapshots/manifest.ts'
import { ChangeSetTestbed, type ContextChange, type PublishedSet, withChanges } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const document = (id: number, value: unknown = 0) => `{"id":"${id}","v":${JSON.stringify(value)}}`
const documents = (count: number, value: unknown = 0) =>
  Array.from({ length: count }, (_, id) => document(id, value))
const idSum = (...ids: string[]) =>
  (
    ids.reduce(
      (sum, id) =>
        sum + BigInt(`0x${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`),
      0n,
    ) %
    (1n << 128n)
  )
    .toString(16)
    .padStart(32, '0')

describe('the first change set of an entity', () => {
  it('is a reset, which tells readers to load the snapshot', async () => {
    const runId = testbed.publish({ documents: [document(1), document(2), document(1, 'newer')] })
    expect(await testbed.compare()).toEqual({
      status: 'published',
      version: 1,
      entity: 'CL',
      runId,
      base: null,
      kind: 'reset',
      reason: 'It is the first change set of the entity.',
      idField: 'id',
      ignore: [],
      snapshot: manifestKey('CL', runId),
      stateDocuments: 2,
      stateIdSum: idSum('1', '2'),
      parts: 0,
      withheldParts: 0,
    })
    const manifest = `changes/CL/${runId}/manifest.json`
    const set = { runId, base: null, kind: 'reset', created: 0, updated: 0, deleted: 0, manifest }
    expect(testbed.chain()).toEqual({ tip: runId, sets: [set], announced: true, reset: null, failures: null })
    expect(testbed.events).toEqual([
      {
        type: 'Changes Published',
        detail: {
          entity: 'CL',
          base: null,
          runId,
          kind: 'reset',
          created: 0,
          updated: 0,
          deleted: 0,
          withheld: 0,
          manifest,
        },
      },
    ])
  })

  it('needs a snapshot', async () => {
    expect(await testbed.compare()).toEqual({ status: 'up-to-date', entity: 'CL', tip: null })
  })
})

describe('a change set', () => {
  it('has a record for each created, updated and deleted document, with the bytes of the platform', async () => {
    const { manifest: first } = await testbed.next({
      documents: ['{"id":"a","v":1.50}', '{ "id":"b" }', '{"id":7,"v":1}', '{"id":"d"}'],
    })
    const { manifest, records } = await testbed.next({
      documents: ['{"id":"d"}', '{"v":2.50, "id":"\\u0061"}', '{"id":7,"v":1}', '{"id":"c"}'],
    })
    expect(records.toSorted()).toEqual([
      '{"op":"c","id":"c","after":{"id":"c"}}',
      '{"op":"d","id":"b","before":{ "id":"b" }}',
      '{"op":"u","id":"\\u0061","before":{"id":"a","v":1.50},"after":{"v":2.50, "id":"\\u0061"}}',
    ])
    expect(manifest).toMatchObject({
      base: first.runId,
      kind: 'changes',
      created: 1,
      updated: 1,
      deleted: 1,
      unchanged: 2,
      rewritten: 0,
      withheld: 0,
      baseDocuments: 4,
      stateDocuments: 4,
    })
    expect(testbed.events.at(-1)).toMatchObject({
      detail: { base: first.runId, created: 1, updated: 1, deleted: 1, withheld: 0 },
    })
  })

  it('counts documents as rewritten whose bytes changed and whose content did not', async () => {
    await testbed.next({ documents: ['{"id":"1","a":"é","b":[1,{"x":1,"y":2}]}'] })
    const { manifest, records } = await testbed.next({
      documents: ['{"b": [1, {"y":2,"x":1}], "a":"\\u00e9", "id":"1"}'],
    })
    expect(records).toEqual([])
    expect(manifest).toMatchObject({ rewritten: 1, updated: 0, unchanged: 0 })
  })

  it.each([
    ['1', '1.0'],
    ['12345678901234567890', '12345678901234567891'],
    ['"1"', '1'],
    ['[1,2]', '[2,1]'],
  ])('updates a document whose value changed from %s to %s', async (before, after) => {
    await testbed.next({ documents: [`{"id":"1","v":${before}}`] })
    const { manifest } = await testbed.next({ documents: [`{"id":"1","v":${after}}`] })
    expect(manifest).toMatchObject({ updated: 1, rewritten: 0 })
  })

  it('does not count ignored fields at the top level', async () => {
    testbed.changes = { ignore: ['seen'], maxDeletePercent: 100, keepDays: 30 }
    await testbed.next({ documents: ['{"id":"1","seen":1}', '{"id":"2","in":{"seen":1}}'] })
    const { manifest, records } = await testbed.next({
      documents: ['{"id":"1","seen":2}', '{"id":"2","in":{"seen":2}}'],
    })
    expect(records).toEqual([
      '{"op":"u","id":"2","before":{"id":"2","in":{"seen":1}},"after":{"id":"2","in":{"seen":2}}}',
    ])
    expect(manifest).toMatchObject({ rewritten: 1, updated: 1 })
  })

  it('takes the last of several documents with one id, on both sides', async () => {
    await testbed.next({ documents: [document(1, 'old'), document(2), document(3), document(1, 'last')] })
    const { records } = await testbed.next({
      documents: [document(1, 'last'), document(2), document(3), document(1, 'newest')],
    })
    expect(records).toEqual([
      '{"op":"u","id":"1","before":{"id":"1","v":"last"},"after":{"id":"1","v":"newest"}}',
    ])
  })

  it.each([
    {
      base: [document(1, 'a'), document(2)],
      target: [document(1, 'a'), document(2), document(1, 'b')],
      update: `"before":${document(1, 'a')},"after":${document(1, 'b')}`,
    },
    {
      base: [document(1, 'a'), document(2), document(1, 'b')],
      target: [document(1, 'a'), document(2)],
      update: `"before":${document(1, 'b')},"after":${document(1, 'a')}`,
    },
  ])('takes the last document if an equal line is followed by another with its id', async (documentsOf) => {
    await testbed.next({ documents: documentsOf.base })
    const { manifest, records } = await testbed.next({ documents: documentsOf.target })
    expect(records).toEqual([`{"op":"u","id":"1",${documentsOf.update}}`])
    expect(manifest).toMatchObject({ unchanged: 1, updated: 1, stateDocuments: 2 })
  })

  it('counts a document as unchanged wherever its last line is', async () => {
    await testbed.next({ documents: [document(1, 'a'), document(2), document(1, 'b'), document(3)] })
    const { manifest } = await testbed.next({
      documents: [document(1, 'a'), document(2), document(3), document(1, 'b')],
    })
    expect(manifest).toMatchObject({ unchanged: 3, updated: 0, rewritten: 0 })
  })

  it.each([
    ['reversed', (all: readonly string[]) => all.toReversed()],
    ['rotated', (all: readonly string[]) => [...all.slice(1500), ...all.slice(0, 1500)]],
    ['shifted by removed and added documents', (all: readonly string[]) => all],
  ])('is the same when the order of the snapshot is %s', async (_, order) => {
    const padding = 'x'.repeat(100)
    await testbed.next({ documents: documents(3000, padding), pageSize: 1000 })
    const changed = documents(3000, padding).flatMap((one, id) => {
      if (id >= 1000 && id < 1080) return []
      return id === 2000
        ? [document(2000, 'changed'), ...Array.from({ length: 70 }, (_, at) => document(5000 + at))]
        : [one]
    })
    const { manifest } = await testbed.next({ documents: order(changed), pageSize: 900 })
    expect(manifest).toMatchObject({ created: 70, updated: 1, deleted: 80, unchanged: 2919 })
  })

  it('knows documents without an id by their bytes: they are created or deleted', async () => {
    await testbed.next({ documents: ['{"v":1}', '{"v":1}', '{"id":null,"v":2}', '{"id":{},"v":3}'] })
    const { records, manifest } = await testbed.next({
      documents: ['{"v":1}', '{"id":null,"v":3}', '{"id":{},"v":3}'],
    })
    expect(records.toSorted()).toEqual([
      '{"op":"c","id":null,"after":{"id":null,"v":3}}',
      '{"op":"d","id":null,"before":{"id":null,"v":2}}',
    ])
    expect(manifest).toMatchObject({ unchanged: 2, stateDocuments: 3 })
  })

  it('is published without records if nothing changed', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(5) })
    const { manifest } = await testbed.next({ documents: documents(5), pageSize: 2 })
    expect(manifest).toMatchObject({ base: first.runId, unchanged: 5, parts: [], withheldParts: [] })
    expect(testbed.chain()?.tip).toBe(manifest.runId)
  })

  it('may create every document', async () => {
    await testbed.next({ documents: [] })
    const { records } = await testbed.next({ documents: documents(2_000), pageSize: 500 })
    expect(new Set(records).size).toBe(2_000)
  })
})

describe('a document that is missing from the snapshot', () => {
  const tolerated = { proof: 'within-tolerance' } as const

  it('is deleted if the snapshot is exact', async () => {
    await testbed.next({ documents: documents(3), ...tolerated })
    const { records } = await testbed.next({ documents: documents(2) })
    expect(records).toEqual(['{"op":"d","id":"2","before":{"id":"2","v":0}}'])
  })

  it.each(['within-tolerance', 'no-total'] as const)('is withheld if the proof is %s', async (proof) => {
    await testbed.next({ documents: documents(3) })
    const { manifest, records, withheld } = await testbed.next({ documents: documents(2), proof })
    expect([records, withheld]).toEqual([[], [document(2)]])
    expect(manifest).toMatchObject({
      deleted: 0,
      withheld: 1,
      stateDocuments: 3,
      stateIdSum: idSum('0', '1', '2'),
    })
  })

  it('is deleted when it is missing from a second snapshot in a row', async () => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(2), ...tolerated })
    const { manifest, records, withheld } = await testbed.next({ documents: documents(1), ...tolerated })
    expect(records).toEqual(['{"op":"d","id":"2","before":{"id":"2","v":0}}'])
    expect(withheld).toEqual([document(1)])
    expect(manifest).toMatchObject({ baseDocuments: 3, deleted: 1, withheld: 1, stateDocuments: 2 })
  })

  it.each([0, 1])('is an update when it is back with the value %s, changed or not', async (value) => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(2), ...tolerated })
    const { manifest, records, withheld } = await testbed.next({
      documents: [...documents(2), document(2, value)],
      ...tolerated,
    })
    expect(records).toEqual([`{"op":"u","id":"2","before":${document(2)},"after":${document(2, value)}}`])
    expect(withheld).toEqual([])
    expect(manifest).toMatchObject({ unchanged: 2, updated: 1, withheld: 0, stateDocuments: 3 })
  })

  it('starts to be withheld again when it was back in between', async () => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(2), ...tolerated })
    await testbed.next({ documents: documents(3), ...tolerated })
    const { records, withheld } = await testbed.next({ documents: documents(2), ...tolerated })
    expect([records, withheld]).toEqual([[], [document(2)]])
  })
})

describe('the guard', () => {
  it('refuses a set that deletes too much, and leaves the tip', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const { manifest: first } = await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(89) })
    const chain = testbed.chain()
    const reason =
      'The change set deletes 11 of 100 documents (11.0%); maxDeletePercent is 10. ' +
      `Review them: longshore review ${runId}. To publish exactly this change set: longshore accept ${runId}`
    const refused = { entity: 'CL', base: first.runId, runId, reason }
    expect(await testbed.compare()).toEqual({ status: 'refused', ...refused })
    expect(testbed.chain()).toEqual(chain)
    expect(testbed.keys(`changes/CL/${runId}`)).toEqual([refusedChangesKey('CL', runId)])
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
    })
    expect(testbed.events.at(-1)).toEqual({ type: 'Changes Refused', detail: refused })
  })

  it('counts deletes and not the difference: half replaced at an equal count is refused', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(40) })
    testbed.publish({ documents: documents(60).slice(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  })

  it.each([
    [20, 10],
    [200, 180],
  ])('accepts a change from %i to %i documents', async (before, after) => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(before) })
    const { manifest } = await testbed.next({ documents: documents(after) })
    expect(manifest).toMatchObject({ deleted: before - after })
  })

  it('accepts the deletes once if they are accepted', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(50) })
    expect(await testbed.compare({ runId, acceptDeletes: true })).toMatchObject({ status: 'published' })
    testbed.publish({ documents: documents(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  })

  it('does not accept the deletes of a later run', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const runId = testbed.publish({ documents: documents(95) })
    testbed.publish({ documents: documents(50) })
    expect(await testbed.compare({ runId, acceptDeletes: true })).toMatchObject({ status: 'refused' })
  })

  it('loses nothing: the set after a refused one starts from the same tip', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const { manifest: first } = await testbed.next({ documents: documents(100) })
    testbed.publish({ documents: documents(50, 'changed') })
    await testbed.compare()
    const { manifest } = await testbed.next({ documents: [...documents(99), document(200)] })
    expect(manifest).toMatchObject({ base: first.runId, created: 1, deleted: 1, updated: 0, unchanged: 99 })
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

  const accept = () => testbed.compare({ runId, acceptance: { runId, by } })
  const expectRefused = async (reason: RegExp) => {
    const chain = testbed.chain()
    expect(await accept()).toMatchObject({ status: 'refused', runId, reason: expect.stringMatching(reason) })
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
    expect(await testbed.compare({ runId, acceptance: { runId, by: 'bob' } })).toMatchObject({
      status: 'published',
      by,
    })
    expect([testbed.chain(), testbed.events.length]).toEqual([chain, events])
  })

  it('is refused once a newer run has published', async () => {
    const newer = testbed.publish({ documents: documents(60) })
    await expectRefused(new RegExp(`^The newer run ${newer} has published`))
  })

  it('is refused if the tip has moved', async () => {
    const { deleteKeys } = createChangeSetStore('bucket', testbed.s3 as unknown as S3Client)
    await deleteKeys([changesLatestKey('CL')])
    await expectRefused(/^Nothing was refused in the comparison/)
  })

  it('is refused if nothing is recorded of it', async () => {
    testbed.s3.objects.delete(refusedChangesKey('CL', runId))
    await expectRefused(/^Nothing was refused in the comparison of run /)
  })

  it('is refused if a page of the snapshot at the tip is gone', async () => {
    const [page = ''] = testbed.keys(`snapshots/CL/${base}/`)
    testbed.s3.objects.delete(page)
    await expectRefused(/^The tip's snapshot is gone.* longshore changes CL --reset$/)
  })

  it('is refused if the configuration would make it another set now', async () => {
    testbed.changes = { ignore: ['v'], maxDeletePercent: 10, keepDays: 30 }
    await expectRefused(/would be a reset \(The ignored fields changed\.\), which is not what was reviewed/)
  })
})

describe('a chain starts again with a reset', () => {
  const before = { documents: documents(3) }

  it.each([
    ['the query changed', { query: { _where: 'a=1' } }],
    ['the idField changed', { idField: 'v' }],
  ])('when %s', async (_, change) => {
    await testbed.next(before)
    const { manifest } = await testbed.next({ documents: documents(4), ...change })
    expect(manifest).toMatchObject({ kind: 'reset', base: null, parts: [] })
    expect(testbed.chain()?.sets).toEqual([expect.objectContaining({ kind: 'reset', base: null })])
  })

  it('when the ignored fields changed', async () => {
    await testbed.next(before)
    testbed.changes = { ignore: ['v'], maxDeletePercent: 100, keepDays: 30 }
    expect((await testbed.next(before)).manifest.kind).toBe('reset')
  })

  it('does not start again when only the order of the settings changed', async () => {
    testbed.changes = { ignore: ['a', 'b'], maxDeletePercent: 100, keepDays: 30 }
    await testbed.next({ ...before, query: { a: '1', b: ['2', '3'] } })
    testbed.changes = { ignore: ['b', 'a'], maxDeletePercent: 50, keepDays: 30 }
    const { manifest } = await testbed.next({ ...before, query: { b: ['2', '3'], a: '1' } })
    expect(manifest.kind).toBe('changes')
  })

  it('when change sets were off for a publication', async () => {
    const { changes } = testbed
    await testbed.next(before)
    testbed.changes = false
    testbed.publish(before)
    expect(await testbed.compare()).toEqual({ status: 'off', entity: 'CL' })
    testbed.changes = changes
    expect((await testbed.next(before)).manifest.kind).toBe('reset')
    expect((await testbed.next(before)).manifest.kind).toBe('changes')
  })

  it('does not start again when change sets were off without a publication', async () => {
    const { changes } = testbed
    await testbed.next(before)
    testbed.changes = false
    await testbed.compare()
    testbed.changes = changes
    expect((await testbed.next(before)).manifest.kind).toBe('changes')
  })

  it.each(['manifest', 'pages'])("when the %s of the tip's snapshot expired", async (expired) => {
    const { manifest: first } = await testbed.next(before)
    for (const key of testbed.keys(runPrefix('CL', first.runId)))
      if (key.endsWith('manifest.json') === (expired === 'manifest')) testbed.s3.objects.delete(key)
    expect((await testbed.next(before)).manifest.kind).toBe('reset')
  })

  it('without the documents that were withheld', async () => {
    await testbed.next(before)
    await testbed.next({ documents: documents(2), proof: 'no-total' })
    const { manifest } = await testbed.next({ documents: documents(1), query: { a: '1' }, proof: 'no-total' })
    expect(manifest).toMatchObject({ kind: 'reset', stateDocuments: 1, withheldParts: [] })
  })
})

describe('a comparison fails, names the object and leaves the tip', () => {
  it.each([
    ['a missing page of the base', 0, 'missing'],
    ['a damaged page of the base', 0, 'damaged'],
    ['a missing page of the snapshot', 1, 'missing'],
    ['a damaged page of the snapshot', 1, 'damaged'],
  ] as const)('because of %s', async (_, side, state) => {
    const { manifest: first } = await testbed.next({ documents: documents(8) })
    const runId = testbed.publish({ documents: documents(7) })
    const chain = testbed.chain()
    const [, key = ''] = testbed.keys(runPrefix('CL', [first.runId, runId][side] ?? ''))
    const body = testbed.s3.objects.get(key)?.body ?? Buffer.alloc(0)
    if (state === 'missing') testbed.s3.objects.delete(key)
    else testbed.overwrite(key, Buffer.from(body.map((byte, at) => (at === 20 ? byte ^ 1 : byte))))
    const reason = expect.stringContaining(`The object ${key} is ${state}`) as string
    const failed = { entity: 'CL', base: first.runId, runId, reason }
    expect(await testbed.compare()).toEqual({ status: 'failed', ...failed })
    expect(testbed.events.at(-1)).toEqual({ type: 'Changes Failed', detail: failed })
    expect(testbed.chain()).toMatchObject({ ...chain, failures: { count: 1 } })
    expect(testbed.keys(`changes/CL/${runId}/manifest`)).toEqual([])

    testbed.overwrite(key, body)
    expect(await testbed.compare()).toMatchObject({ status: 'published', base: first.runId })
  })

  it('because of a damaged part with withheld documents', async () => {
    await testbed.next({ documents: documents(8) })
    const { manifest } = await testbed.next({ documents: documents(7), proof: 'no-total' })
    const key = manifest.withheldParts[0]?.key ?? ''
    testbed.overwrite(key, Buffer.from('damaged'))
    testbed.publish({ documents: documents(8) })
    expect(await testbed.compare()).toMatchObject({ status: 'failed', reason: expect.stringContaining(key) })
  })

  it('because the base is not the state that its set led to', async () => {
    const { manifest } = await testbed.next({ documents: documents(8) })
    testbed.overwrite(
      `changes/CL/${manifest.runId}/manifest.json`,
      Buffer.from(JSON.stringify({ ...manifest, stateIdSum: idSum('another') })),
    )
    testbed.publish({ documents: documents(8) })
    expect(await testbed.compare()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('does not add up'),
    })
  })

  it('because its time is over', async () => {
    testbed.publish({ documents: documents(8) })
    const checkTime = () => {
      throw new ComparisonFailed('too-large', 'out of time')
    }
    expect(await testbed.compare({}, (context) => ({ ...context, checkTime }))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('out of time'),
    })
    expect(await testbed.compare()).toMatchObject({ status: 'published' })
  })
})

describe('a chain whose comparisons keep failing', () => {
  /** Publishes snapshots of a base whose first page is damaged, a day after each other. */
  async function failing(days: number) {
    const { manifest: first } = await testbed.next({ documents: documents(8) })
    const [page = ''] = testbed.keys(runPrefix('CL', first.runId))
    testbed.overwrite(page, Buffer.from('damaged'))
    for (let day = 1; day <= days; day++) {
      testbed.publish({ documents: documents(8) })
      expect(await testbed.compare()).toMatchObject({ status: 'failed', base: first.runId })
    }
    return first
  }

  it('starts again after three failures over a day, and says why', async () => {
    await failing(3)
    const { manifest } = await testbed.next({ documents: documents(7) })
    const reason = 'Comparisons from the tip kept failing, because of damaged pages or too many changes.'
    expect(manifest).toMatchObject({ kind: 'reset', reason })
    expect(testbed.chain()).toMatchObject({ tip: manifest.runId, failures: null })
    expect((await testbed.next({ documents: documents(6) })).manifest).toMatchObject({ deleted: 1 })
  })

  it('does not start again after two failures', async () => {
    await failing(2)
    testbed.publish({ documents: documents(8) })
    expect(await testbed.compare()).toMatchObject({ status: 'failed' })
  })

  it('does not start again because of a failure of AWS or of our code', async () => {
    await testbed.next({ documents: documents(8) })
    const before = testbed.chain()
    for (let day = 0; day < 5; day++) {
      const runId = testbed.publish({ documents: documents(8) })
      const down = withChanges(() => ({ readObject: async () => Promise.reject(new Error('S3 is down')) }))
      await expect(testbed.compare({}, down)).rejects.toThrow('S3 is down')
      const request = { entity: 'CL', runId, acceptDeletes: false }
      await testbed.invoke({ task: 'record-failure', request, reason: 'It stopped.' })
    }
    expect(testbed.chain()).toEqual(before)
    expect((await testbed.next({ documents: documents(7) })).manifest).toMatchObject({ deleted: 1 })
  })

  it('refuses to start again at a snapshot that has lost too much, until that is accepted', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(100) })
    const [page = ''] = testbed.keys(runPrefix('CL', testbed.chain()?.tip ?? ''))
    testbed.overwrite(page, Buffer.from('damaged'))
    for (let day = 0; day < 3; day++) {
      testbed.publish({ documents: documents(50), uniqueIds: 50 })
      await testbed.compare()
    }
    const runId = testbed.publish({ documents: documents(50), uniqueIds: 50 })
    expect(await testbed.compare()).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('deletes 50 of 100'),
    })
    expect(await testbed.compare({ runId, acceptDeletes: true })).toMatchObject({ kind: 'reset' })
  })
})

describe('a comparison that is repeated', () => {
  it('has no effect once the set is published', async () => {
    await testbed.next({ documents: documents(3) })
    const { manifest } = await testbed.next({ documents: documents(4) })
    const objects = new Map(testbed.s3.objects)
    expect(await testbed.compare()).toEqual({ status: 'up-to-date', entity: 'CL', tip: manifest.runId })
    expect(testbed.s3.objects).toEqual(objects)
  })

  it('covers publications that were not compared', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    testbed.publish({ documents: documents(4) })
    const { manifest } = await testbed.next({ documents: documents(5) })
    expect(manifest).toMatchObject({ base: first.runId, created: 2 })
  })
})

describe('a comparison that is overtaken by another one', () => {
  /** Lets something happen before the comparison moves the tip. */
  const beforeTheTipMoves =
    (happens: () => Promise<unknown>): ContextChange =>
    (context) => {
      let remaining = 1
      const writeLatest: typeof context.changes.writeLatest = async (...given) => {
        if (remaining-- > 0) await happens()
        return context.changes.writeLatest(...given)
      }
      return { ...context, changes: { ...context.changes, writeLatest } }
    }

  it('does not move the tip back', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    testbed.publish({ documents: documents(4) })
    let newest = ''
    const overtake = async () => {
      newest = (await testbed.next({ documents: documents(6) })).manifest.runId
    }
    const result = await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(result).toEqual({ status: 'up-to-date', entity: 'CL', tip: newest })
    expect(testbed.set(newest).manifest).toMatchObject({ base: first.runId, created: 3 })
    expect(testbed.chain()?.sets.map(({ runId }) => runId)).toEqual([first.runId, newest])
  })

  /** Publishes a snapshot whose comparison writes its manifest and crashes before it moves the tip. */
  async function leaveManifest(count: number): Promise<string> {
    const runId = testbed.publish({ documents: documents(count) })
    const crash = async () => {
      throw new Error('The function crashed.')
    }
    await testbed.compare({}, beforeTheTipMoves(crash)).catch(() => undefined)
    return runId
  }

  it('replaces the manifest that it wrote from a tip that has moved since', async () => {
    const { manifest: first } = await testbed.next({ documents: documents(3) })
    const middle = testbed.publish({ documents: documents(4) })
    let last = ''
    const overtake = async () => {
      last = await leaveManifest(6)
    }
    await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(testbed.chain()?.tip).toBe(middle)
    expect(testbed.set(last).manifest.base).toBe(first.runId)

    expect(await testbed.compare()).toMatchObject({ status: 'published' })
    expect(testbed.set(last).manifest).toMatchObject({ base: middle, created: 2 })
    expect(testbed.chain()?.tip).toBe(last)
  })

  it('continues a chain that has begun since it prepared a first set', async () => {
    const first = testbed.publish({ documents: documents(3) })
    let last = ''
    const overtake = async () => {
      last = await leaveManifest(5)
    }
    await testbed.compare({}, beforeTheTipMoves(overtake))
    expect(testbed.chain()?.tip).toBe(first)
    expect(testbed.set(last).manifest.kind).toBe('reset')

    expect(await testbed.compare()).toMatchObject({ status: 'published' })
    expect(testbed.set(last).manifest).toMatchObject({ kind: 'changes', base: first, created: 2 })
  })
})

describe('sets older than keepDays', () => {
  it('expire, and their objects one day later; those of the tip stay', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 3 }
    const runs: string[] = []
    for (let count = 1; count <= 8; count++)
      runs.push((await testbed.next({ documents: documents(count) })).manifest.runId)
    expect(testbed.chain()?.sets.map(({ runId }) => runId)).toEqual(runs.slice(4))
    const stored = new Set(testbed.keys('changes/CL/2').map((key) => key.split('/')[2]))
    expect([...stored]).toEqual(runs.slice(3))
  })
})

describe('the Athena table of the change sets', () => {
  const list = () => testbed.text('tables/CL.changes/parts.txt')
  const addresses = (...sets: readonly PublishedSet[]) =>
    sets.flatMap(({ manifest }) => manifest.parts.map(({ key }) => `s3://bucket/${key}\n`)).join('')

  it('lists the parts of every set in the chain', async () => {
    await testbed.next({ documents: documents(3) })
    expect(list()).toBe('')
    const first = await testbed.next({ documents: documents(3, 'a') })
    const unchanged = await testbed.next({ documents: documents(3, 'a') })
    const last = await testbed.next({ documents: documents(3, 'b') })
    expect(unchanged.manifest.parts).toEqual([])
    expect(list()).toBe(addresses(first, last))
  })

  it('no longer lists the sets before a reset', async () => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(3, 'a') })
    await testbed.next({ documents: documents(3, 'b'), query: { _where: 'x' } })
    expect(list()).toBe('')
  })

  it('is complete again after the next publication if it was lost', async () => {
    await testbed.next({ documents: documents(3) })
    const first = await testbed.next({ documents: documents(3, 'a') })
    testbed.s3.objects.delete('tables/CL.changes/parts.txt')
    const last = await testbed.next({ documents: documents(3, 'b') })
    expect(list()).toBe(addresses(first, last))
  })
})
