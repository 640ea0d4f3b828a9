import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pythonTools } from '../python-tools.ts'
import { ChangeSetTestbed } from '../unit/compare/change-set-testbed.ts'

const programs = await pythonTools('duckdb', new URL('duckdb-requirements.txt', import.meta.url))

const page = readFileSync(new URL('../../docs/change-sets.md', import.meta.url), 'utf8')
function examplesOf(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, example = '']) => example)
}

const before = ['{"id":"a","city":"Porto"}', '{"id":7,"city":"Faro"}', '{"id":"c","city":"Braga"}']
const after = ['{"id":"a","city":"Lisboa"}', '{"id":"c","city":"Braga"}', '{"id":"d","city":"Évora"}']

let folder: string
let runId: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-changes-'))
  const testbed = new ChangeSetTestbed()
  await testbed.next({ documents: before })
  const { manifest } = await testbed.next({ documents: after })
  runId = manifest.runId
  for (const [key, { body }] of testbed.s3.objects) {
    const file = join(folder, 'copy', key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs SQL statements in the folder that contains `copy/`, and returns the rows of the last one. */
async function duckdb(statements: readonly string[]): Promise<unknown> {
  const program = `
import duckdb, json
db = duckdb.connect()
for statement in ${JSON.stringify(statements)}: result = db.execute(statement)
print(json.dumps(result.fetchall()))`
  const { stdout } = await promisify(execFile)(
    join(programs ?? '', 'python'),
    ['-W', 'error', '-c', program],
    {
      cwd: folder,
    },
  )
  return JSON.parse(stdout)
}

describe.skipIf(!programs)('the examples of docs/change-sets.md', () => {
  it('find updated fields in DuckDB', async () => {
    expect(await duckdb(examplesOf('DuckDB'))).toEqual([['u', '"a"', 'Porto', 'Lisboa']])
  }, 60_000)

  it('bring a table from one snapshot to the next', async () => {
    const examples = examplesOf('Keep a warehouse table up to date').map((sql) =>
      sql.replace('RUN_ID', runId),
    )
    expect(examples).toHaveLength(2)
    const rows = before.map((document) => `('${JSON.stringify(JSON.parse(document).id)}', '${document}')`)
    const documents = await duckdb([
      `CREATE TABLE clients AS SELECT id::JSON AS id, document::JSON AS document FROM (VALUES ${rows.join(', ')}) AS t(id, document)`,
      ...examples,
      'SELECT document::VARCHAR FROM clients ORDER BY id::VARCHAR',
    ])
    expect(documents).toEqual(after.map((document) => [document]))
  }, 60_000)
})
