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

  it('needs a snapshot', async () =>
    expect(await testbed.compare()).toEqual({ status: 'up-to-date', entity: 'CL', tip: null }))
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

  it('does not depend on the order of the snapshots, nor on their pages', async () => {
    const padding = 'x'.repeat(100)
    await testbed.next({ documents: documents(3000, padding), pageSize: 1000 })
    const changed = documents(3000, padding).flatMap((one, id) => {
      if (id >= 1000 && id < 1080) return []
      return id === 2000
        ? [document(2000, 'changed'), ...Array.from({ length: 70 }, (_, at) => document(5000 + at))]
        : [one]
    })
    const { manifest } = await testbed.next({ documents: changed.toReversed(), pageSize: 900 })
    expect(manifest).toMatchObject({ created: 70, updated: 1, deleted: 80, unchanged: 2919 })
  })
})
