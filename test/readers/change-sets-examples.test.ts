import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyBucket } from '../copy-of-bucket.ts'
import { ChangeSetTestbed } from '../unit/compare/change-set-testbed.ts'
import { documentAt, IncrementTestbed } from '../unit/worker/increment/increment-testbed.ts'
import { duckdb, examplesOf, programs } from './docs-examples.ts'

/** Ids with quotes, ids that look like numbers, and numbers. */
const states = [
  [
    '{"id":"a","city":"Porto"}',
    '{"id":7,"city":"Faro"}',
    '{"id":"c","city":"Braga"}',
    '{"id":"007","city":"Beja"}',
    '{"id":"\\"quoted\\" \'id\'","city":"Tomar","digits":12345678901234567890}',
  ],
  [
    '{"id":"a","city":"Lisboa"}',
    '{"id":"c","city":"Braga"}',
    '{"id":"d","city":"Évora"}',
    '{"id":"007","city":"Beja","points":1.50}',
    '{"id":"\\"quoted\\" \'id\'","city":"Leiria","digits":12345678901234567890}',
  ],
  ['{"id":"a","city":"Lisboa"}', '{"id":"d","city":"Silves"}', '{"id":7,"city":"Faro"}', '{"id":"1e3"}'],
  [
    '{"id":"a","city":"Aveiro"}',
    '{"id":"d","city":"Silves"}',
    '{"id":"1e3","city":"Viseu"}',
    '{"id":"007","city":"Beja","points":1.50,"digits":12345678901234567890}',
    '{"id":"\\"quoted\\" \'id\'","city":"Lagos","digits":1234567890.12345678901}',
  ],
] as const
/** The text that DuckDB returns for numbers in records. */
const rewritten = (document: string) =>
  document.replace('1.50', '1.5').replace('1234567890.12345678901', '1234567890.1234567')

let folder: string
let runIds: string[]
/** A chain with a set that was accepted after an increment, whose run is newer. */
let accepted: { readonly folder: string; readonly runIds: readonly string[]; readonly documents: string[] }
/** A chain with an increment between two full sets. */
let incremental: { readonly folder: string; readonly runIds: readonly string[]; readonly documents: string[] }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  const testbed = new ChangeSetTestbed()
  runIds = []
  for (const documents of states) {
    runIds.push((await testbed.next({ documents })).manifest.runId)
    if (runIds.length === 1) copyBucket(testbed.s3.objects, join(folder, 'first'))
  }
  copyBucket(testbed.s3.objects, join(folder, 'copy'))
  incremental = await withIncrement()
  accepted = await withAcceptance()
  // A comparison that did not publish can leave a part.
  const left = join(folder, 'copy', 'changes', 'CL', runIds[1] ?? '', 'records-left.ndjson.gz')
  writeFileSync(left, gzipSync('{"op":"d","id":"d","before":{"id":"d"}}\n'))
})
afterAll(() => {
  for (const each of [folder, incremental?.folder, accepted?.folder])
    if (each) rmSync(each, { recursive: true })
})

/** An increment delivers a changed and a new document; the full set after it deletes one and changes another. */
async function withIncrement(): Promise<typeof incremental> {
  const testbed = new IncrementTestbed()
  const created = testbed.now - 10 * 24 * 3_600_000
  testbed.documents = [1, 2, 3].map((id) => documentAt(id, 'first', { created }))
  const first = await testbed.sync()
  testbed.documents[0] = documentAt(1, 'second', { created, updated: testbed.now })
  testbed.documents.push(documentAt(4, 'new', { created: testbed.now }))
  const own = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  copyBucket(testbed.s3.objects, join(own, 'first'))
  const increment = await testbed.increment()
  if (increment.status !== 'published') throw new Error(`The increment is ${JSON.stringify(increment)}.`)
  copyBucket(testbed.s3.objects, join(own, 'second'))
  testbed.documents.splice(1, 1)
  testbed.documents[1] = documentAt(3, 'third', { created })
  // Longer than the time for which a delivered version is protected.
  testbed.now += 24 * 3_600_000
  const last = await testbed.sync()
  copyBucket(testbed.s3.objects, join(own, 'copy'))
  return { folder: own, runIds: [first, increment.runId, last], documents: testbed.documents }
}

/** A refused set deletes 20 documents. Increments follow before and after a person accepts it. */
async function withAcceptance(): Promise<typeof accepted> {
  const testbed = new IncrementTestbed()
  const created = testbed.now - 10 * 24 * 3_600_000
  testbed.entity = {
    ...testbed.entity,
    maxShrinkPercent: 100,
    changes: { ignore: [], maxDeletePercent: 10, keepDays: 30 },
  }
  testbed.documents = Array.from({ length: 25 }, (_, at) => documentAt(at + 1, 'first', { created }))
  const runIds = [await testbed.sync()]
  const own = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  copyBucket(testbed.s3.objects, join(own, 'first'))
  testbed.documents.length = 5
  testbed.now += 24 * 3_600_000
  const refused = (await testbed.stepToEnd()).runId ?? ''
  await testbed.compare(refused)
  const deliver = async (id: number) => {
    testbed.create(id)
    await testbed.increment()
    runIds.push(testbed.chain().tip)
  }
  await deliver(30)
  await testbed.compare(refused, { reviewed: 'set', runId: refused, by: 'alice' })
  runIds.push(refused)
  await deliver(31)
  copyBucket(testbed.s3.objects, join(own, 'copy'))
  return { folder: own, runIds, documents: [...testbed.readerState().values()] }
}

const [macro = '', snapshotView = '', earlierView = '', parquet = ''] = examplesOf(
  'examples/duckdb/README.md',
  'Read a snapshot',
)
const [allRecords = '', history = ''] = examplesOf('examples/duckdb/README.md', 'Query the records')
const [begin = '', setsAfter = '', ...merge] = examplesOf(
  'examples/duckdb/README.md',
  'Keep a warehouse table up to date',
)
/** The view of the snapshot of a run, by the recipe for an earlier day. */
const viewAt = (runId: string) => earlierView.replace('20260303T120000', `${runId}~`)
/** Begins with the chain as it was when the bucket was copied under a name. */
const beginIn = (name: string) => [
  macro,
  begin.replace("'copy/'", `'${name}/'`),
  "SET VARIABLE root = 'copy/'",
]
const mergeSet = (runId: string) => merge.map((sql) => sql.replace('RUN_ID', runId))
const warehouse = 'SELECT id, document::VARCHAR FROM warehouse ORDER BY id'

describe.skipIf(!programs)('the examples for readers of change sets', () => {
  it('find updated fields in DuckDB', async () => {
    const updated = (await duckdb([macro, allRecords], folder)) as unknown[]
    expect(updated).toContainEqual(['u', 'a', 'Porto', 'Lisboa'])
    expect(updated).toContainEqual(['u', '"quoted" \'id\'', 'Tomar', 'Leiria'])
    expect(updated).toContainEqual(['u', 'd', 'Évora', 'Silves'])
  })

  it('show the history of one document', async () => {
    expect(await duckdb([macro, allRecords, history.replace("'ID'", "'7'")], folder)).toEqual([
      [runIds[1], 'd', '{"id":7,"city":"Faro"}', null],
      [runIds[2], 'c', null, '{"id":7,"city":"Faro"}'],
      [runIds[3], 'd', '{"id":7,"city":"Faro"}', null],
    ])
  })

  it('bring a table from the first snapshot to the newest, set by set', async () => {
    expect(merge).toHaveLength(2)
    const [first = '', ...following] = runIds
    const listed = await duckdb([...beginIn('first'), setsAfter.replace('STORED_RUN_ID', first)], folder)
    expect(listed).toEqual(following.map((runId) => [runId, 'changes']))
    const documents = await duckdb([...beginIn('first'), ...following.flatMap(mergeSet), warehouse], folder)
    const newest = (states.at(-1) ?? []).map((document) => [
      String(JSON.parse(document).id),
      rewritten(document),
    ])
    expect(documents).toEqual(newest.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))
  })

  it('apply increments as upserts, and the full set after them', async () => {
    const { folder: own, runIds: sets, documents } = incremental
    const [, increment = '', full = ''] = sets
    const ids = "SELECT id, document ->> '$.value' FROM warehouse ORDER BY id"
    const delivered = [
      ['1', 'second'],
      ['2', 'first'],
      ['3', 'first'],
      ['4', 'new'],
    ]
    expect(await duckdb([...beginIn('first'), ...mergeSet(increment), ids], own)).toEqual(delivered)
    // A reader that begins at an increment merges the increments since the snapshot.
    const beginning = mergeSet(increment).map((sql) =>
      sql.replace('FOR part IN parts]', 'FOR part IN incrementParts]').replace('{parts:', '{incrementParts:'),
    )
    expect(await duckdb([...beginIn('second'), ...beginning, ids], own)).toEqual(delivered)
    const all = 'SELECT document::VARCHAR FROM warehouse ORDER BY id'
    const merged = await duckdb([...beginIn('first'), ...mergeSet(increment), ...mergeSet(full), all], own)
    expect(merged).toEqual(documents.map((document) => [document]))
  })

  it('apply a set that was accepted after an increment in its place in the list', async () => {
    const { folder: own, runIds: sets, documents } = accepted
    expect(sets.toSorted()).not.toEqual(sets)
    const kinds = ['increment', 'changes', 'increment']
    for (const [at, stored = ''] of sets.entries()) {
      const listed = await duckdb([...beginIn('first'), setsAfter.replace('STORED_RUN_ID', stored)], own)
      expect(listed).toEqual(sets.slice(at + 1).map((runId, index) => [runId, kinds[at + index]]))
    }
    const all = 'SELECT document::VARCHAR FROM warehouse ORDER BY 1'
    const merged = await duckdb([...beginIn('first'), ...sets.slice(1).flatMap(mergeSet), all], own)
    expect(merged).toEqual(documents.toSorted().map((document) => [document]))
    const order = 'SELECT DISTINCT run, position FROM records ORDER BY position'
    expect(await duckdb([macro, allRecords, order], own)).toEqual(
      sets.slice(1).map((runId, at) => [runId, at + 2]),
    )
  })

  it('show what an increment delivered in the history of a document', async () => {
    const { folder: own, runIds: sets, documents } = incremental
    const found = await duckdb([macro, allRecords, history.replace("'ID'", "'1'")], own)
    expect(found).toEqual([[sets[1], 'r', null, documents[0]]])
  })

  it('read the documents of an earlier day, with every digit, and write them as Parquet', async () => {
    const documents = await duckdb(
      [macro, snapshotView, viewAt(runIds[1] ?? ''), parquet, "SELECT document FROM 'clients.parquet'"],
      folder,
    )
    expect(documents).toEqual(states[1].map((document) => [document]))
  })
})
