import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pythonTools } from '../python-tools.ts'
import { ChangeSetTestbed } from '../unit/compare/change-set-testbed.ts'
import { documentAt, IncrementTestbed } from '../unit/worker/increment/increment-testbed.ts'

const programs = await pythonTools('duckdb', new URL('duckdb-requirements.txt', import.meta.url))

/** The SQL examples of a section, as they are documented. */
function examplesOf(page: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [content = ''] = section.split('\n## ')
  return [...content.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, example = '']) => example)
}

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
/** A chain with an increment between two full sets. */
let incremental: { readonly folder: string; readonly runIds: readonly string[]; readonly documents: string[] }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  const testbed = new ChangeSetTestbed()
  runIds = []
  for (const documents of states) runIds.push((await testbed.next({ documents })).manifest.runId)
  copyBucket(testbed, folder)
  incremental = await withIncrement()
  // A comparison that did not publish can leave a part.
  const left = join(folder, 'copy', 'changes', 'CL', runIds[1] ?? '', 'records-left.ndjson.gz')
  writeFileSync(left, gzipSync('{"op":"d","id":"d","before":{"id":"d"}}\n'))
})
afterAll(() => {
  for (const each of [folder, incremental?.folder]) if (each) rmSync(each, { recursive: true })
})

/** As `aws s3 sync` does. */
function copyBucket({ s3 }: Pick<ChangeSetTestbed, 's3'>, to: string): void {
  for (const [key, { body }] of s3.objects) {
    const file = join(to, 'copy', key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
}

/** An increment delivers a changed and a new document; the full set after it deletes one and changes another. */
async function withIncrement(): Promise<typeof incremental> {
  const testbed = new IncrementTestbed()
  const created = testbed.now - 10 * 24 * 3_600_000
  testbed.documents = [1, 2, 3].map((id) => documentAt(id, 'first', { created }))
  const first = await testbed.sync()
  testbed.documents[0] = documentAt(1, 'second', { created, updated: testbed.now })
  testbed.documents.push(documentAt(4, 'new', { created: testbed.now }))
  const increment = await testbed.increment()
  if (increment.status !== 'published') throw new Error(`The increment is ${JSON.stringify(increment)}.`)
  testbed.documents.splice(1, 1)
  testbed.documents[1] = documentAt(3, 'third', { created })
  // Longer than the time for which a delivered version is protected.
  testbed.now += 24 * 3_600_000
  const last = await testbed.sync()
  const own = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  copyBucket(testbed, own)
  return { folder: own, runIds: [first, increment.runId, last], documents: testbed.documents }
}

/** Runs SQL statements in a folder that contains `copy/`, and returns the rows of the last one. */
async function duckdb(statements: readonly string[], cwd = folder): Promise<unknown> {
  const program = `
import duckdb, json
db = duckdb.connect()
for statement in ${JSON.stringify(statements)}: result = db.execute(statement)
print(json.dumps(result.fetchall()))`
  const { stdout } = await promisify(execFile)(
    join(programs ?? '', 'python'),
    ['-W', 'error', '-c', program],
    { cwd },
  )
  return JSON.parse(stdout)
}

const [snapshotView = '', earlierView = '', parquet = ''] = examplesOf('reading-snapshots.md', 'DuckDB')
const [allRecords = '', history = ''] = examplesOf('change-sets.md', 'DuckDB')
const [begin = '', ...merge] = examplesOf('change-sets.md', 'Keep a warehouse table up to date')
/** The view of the snapshot of a run, by the recipe for an earlier day. */
const viewAt = (runId: string) => earlierView.replace('20260303T120000', `${runId}~`)

describe.skipIf(!programs)('the examples for readers of change sets', () => {
  it('find updated fields in DuckDB', async () => {
    const updated = (await duckdb([allRecords])) as unknown[]
    expect(updated).toContainEqual(['u', 'a', 'Porto', 'Lisboa'])
    expect(updated).toContainEqual(['u', '"quoted" \'id\'', 'Tomar', 'Leiria'])
    expect(updated).toContainEqual(['u', 'd', 'Évora', 'Silves'])
  })

  it('show the history of one document', async () => {
    const found = await duckdb([allRecords, history.replace("'ID'", "'7'")])
    expect(found).toEqual([
      [runIds[1], 'd', '{"id":7,"city":"Faro"}', null],
      [runIds[2], 'c', null, '{"id":7,"city":"Faro"}'],
      [runIds[3], 'd', '{"id":7,"city":"Faro"}', null],
    ])
  })

  it('bring a table from the first snapshot to the newest, set by set', async () => {
    expect(merge).toHaveLength(2)
    const [first = '', ...following] = runIds
    const documents = await duckdb([
      snapshotView,
      viewAt(first),
      begin,
      ...following.flatMap((runId) => merge.map((sql) => sql.replace('RUN_ID', runId))),
      'SELECT id, document::VARCHAR FROM warehouse ORDER BY id',
    ])
    const newest = (states.at(-1) ?? []).map((document) => [
      String(JSON.parse(document).id),
      rewritten(document),
    ])
    expect(documents).toEqual(newest.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))
  })

  it('apply increments as upserts, and the full set after them', async () => {
    const { folder: own, runIds: sets, documents } = incremental
    const [first = '', ...following] = sets
    const loaded = [snapshotView, viewAt(first), begin]
    const apply = following.map((runId) => merge.map((sql) => sql.replace('RUN_ID', runId)))
    const ids = "SELECT id, document ->> '$.value' FROM warehouse ORDER BY id"
    const afterIncrement = await duckdb([...loaded, ...(apply[0] ?? []), ids], own)
    expect(afterIncrement).toEqual([
      ['1', 'second'],
      ['2', 'first'],
      ['3', 'first'],
      ['4', 'new'],
    ])
    const all = 'SELECT document::VARCHAR FROM warehouse ORDER BY id'
    const afterAll = await duckdb([...loaded, ...apply.flat(), all], own)
    expect(afterAll).toEqual(documents.map((document) => [document]))
  })

  it('show what an increment delivered in the history of a document', async () => {
    const { folder: own, runIds: sets, documents } = incremental
    const found = await duckdb([allRecords, history.replace("'ID'", "'1'")], own)
    expect(found).toEqual([[sets[1], 'r', null, documents[0]]])
  })

  it('read the documents of an earlier day, with every digit, and write them as Parquet', async () => {
    const documents = await duckdb([
      snapshotView,
      viewAt(runIds[1] ?? ''),
      parquet,
      "SELECT document FROM 'clients.parquet'",
    ])
    expect(documents).toEqual(states[1].map((document) => [document]))
  })
})
