import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { document, documents, idSum } from './change-documents.ts'
import { ChangeSetTestbed } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

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
      snapshotSha256: expect.any(String),
      stateDocuments: 2,
      stateIdSum: idSum('1', '2'),
      stateContentSum: expect.stringMatching(/^[0-9a-f]{32}$/),
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
          sha256: hash('sha256', testbed.text(manifest) ?? ''),
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

  it('identifies documents without an id by their bytes: they are created or deleted', async () => {
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

  it.each([0, 1])('is an update when it reappears with the value %s, changed or not', async (value) => {
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

  it('starts to be withheld again when it had reappeared in between', async () => {
    await testbed.next({ documents: documents(3) })
    await testbed.next({ documents: documents(2), ...tolerated })
    await testbed.next({ documents: documents(3), ...tolerated })
    const { records, withheld } = await testbed.next({ documents: documents(2), ...tolerated })
    expect([records, withheld]).toEqual([[], [document(2)]])
  })
})
