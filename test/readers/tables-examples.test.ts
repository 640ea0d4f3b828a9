import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Column } from '../../functions/runtime/settings-schema/columns.ts'
import { awsEnvironment, clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { TableTestbed } from '../unit/tables/table-testbed.ts'
import { programs } from './iceberg/read-table.ts'

const page = readFileSync(new URL('../../examples/iceberg/README.md', import.meta.url), 'utf8')

/** The examples in a language of a section, as they are documented. */
function examplesOf(heading: string, language: 'python' | 'sql'): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [content = ''] = section.split('\n## ')
  return [...content.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, example = '']) =>
    name === language ? [example] : [],
  )
}

const column = (name: string, from: readonly string[], type: Column['type']): Column => ({ name, from, type })
const columns = [
  column('id', ['id'], { kind: 'string' }),
  column('created_in', ['createdIn'], { kind: 'timestamp' }),
  column('total', ['total'], { kind: 'decimal', precision: 18, scale: 2 }),
  column('city', ['address', 'city'], { kind: 'string' }),
]

/** The bucket of the testbed, whose addresses are in the files of the table. */
const bucket = 'bucket'
const testbed = new TableTestbed()
let s3: Served
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  testbed.settings = { ...testbed.settings, columns }
  await testbed.publishTable([
    '{"id":"a","createdIn":"2026-01-02T03:04:05Z","total":10.5,"address":{"city":"Lisbon"}}',
    '{"id":"b","createdIn":"2026-01-02T03:04:06Z","total":1,"address":{"city":"Lisbon"}}',
    '{"id":"c","createdIn":"2026-01-02T03:04:07Z","total":"7.25","address":{"city":"Faro"}}',
  ])
  s3 = await startS3({ bucket })
  environment = { ...process.env, ...awsEnvironment({ s3: s3.endpoint }) }
  const client = new S3Client({ ...clientSettings, endpoint: s3.endpoint })
  for (const [Key, { body }] of testbed.s3.objects)
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: body }))
  client.destroy()
})
afterAll(() => s3.close())

/** Runs a Python program with the values of a deployment in place of REGION and BUCKET, on the embedded S3. */
async function run(program: string): Promise<string> {
  const text = program
    .replace("'REGION'}", `'${clientSettings.region}', 's3.endpoint': '${s3.endpoint}'}`)
    .replaceAll('BUCKET', bucket)
  const { stdout } = await promisify(execFile)(join(programs ?? '', 'python'), ['-c', text], {
    env: environment,
  })
  return stdout
}

describe.skipIf(!programs)('the examples for typed tables', () => {
  const [pyIceberg = ''] = examplesOf('PyIceberg', 'python')

  it('find the table without a catalog, and read columns of some rows with PyIceberg', async () => {
    const printed = await run(
      `${pyIceberg}\nimport json\nprint(json.dumps(in_lisbon.to_arrow()['id'].to_pylist()))`,
    )
    expect(printed).toContain('created_in: timestamp[us, tz=UTC]')
    expect(JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')).toEqual(['a', 'b'])
  })

  it('count by city with DuckDB through PyIceberg', async () => {
    const [, query = ''] = examplesOf('DuckDB', 'sql')
    const [, load = ''] = /load the rows through PyIceberg: `(.+?)`/.exec(page) ?? []
    const program = `${pyIceberg}\n${load}\nprint([tuple(map(str, row)) for row in db.sql('''${query}''').fetchall()])`
    const printed = await run(program)
    expect(printed.trimEnd().split('\n').at(-1)).toBe("[('Lisbon', '2', '11.50'), ('Faro', '1', '7.25')]")
  })

  it('travel to a snapshot of the table that they list', async () => {
    const program = `${pyIceberg}
for snapshot in clients.snapshots():
    print(snapshot.summary['longshore.proof'], clients.scan(snapshot_id=snapshot.snapshot_id).to_arrow().num_rows)`
    expect((await run(program)).trimEnd().split('\n').at(-1)).toBe('exact 3')
  })
})
