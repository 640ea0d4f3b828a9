import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableKey } from '../../functions/state/snapshots/manifest.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { type EmbeddedStores, startEmbeddedStores } from '../integration/embedded-stores.ts'
import { entitySettings, syncWorld } from '../integration/sync-world.ts'
import { pythonTools } from '../python-tools.ts'

const programs = await pythonTools('duckdb', new URL('duckdb-requirements.txt', import.meta.url))

/** The examples as they are documented. */
const page = readFileSync(new URL('../../docs/reading-snapshots.md', import.meta.url), 'utf8')
function exampleOf(heading: string): string {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const example = /```\w+\n([\s\S]*?)```/.exec(section)?.[1]
  if (!example) throw new Error(`docs/reading-snapshots.md has no example for ${heading}.`)
  return example
}

const precise =
  '{"id":"precise","amount":12345678901234567890.1234567890,"code":"007","modified":"2026-01-01"}'
let stores: EmbeddedStores
let platform: Platform
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-reading-'))
  stores = await startEmbeddedStores()
  platform = await startPlatform({ documents: { CL: [...makeDocuments(94), Buffer.from(precise)] } })
  const { sync } = syncWorld({ stores, platform }, [entitySettings('CL')])
  await sync('CL')
  await sync('CL')
  await copyBucket()
  // An abandoned attempt can leave pages in the same folder.
  const listed = readFileSync(join(folder, 'copy', tableKey('CL')), 'utf8').split('\n')[0] ?? ''
  const published = dirname(listed.replace(`s3://${stores.bucket}/`, ''))
  writeFileSync(
    join(folder, 'copy', published, 'a1-p000099-abandoned.ndjson.gz'),
    gzipSync('{"id":"abandoned"}\n'),
  )
})
afterAll(async () => {
  await Promise.all([stores?.close(), platform?.close()])
  rmSync(folder, { recursive: true })
})

async function copyBucket(): Promise<void> {
  const { Contents = [] } = await stores.s3.send(new ListObjectsV2Command({ Bucket: stores.bucket }))
  for (const { Key = '' } of Contents) {
    const { Body } = await stores.s3.send(new GetObjectCommand({ Bucket: stores.bucket, Key }))
    const file = join(folder, 'copy', Key)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, (await Body?.transformToByteArray()) ?? '')
  }
}

/** Runs a Python program in the folder that contains `copy/`, and parses its output as JSON. Warnings are errors. */
async function python(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    join(programs ?? '', 'python'),
    ['-W', 'error', '-c', program],
    {
      cwd: folder,
    },
  )
  return JSON.parse(stdout)
}

describe.skipIf(!programs)('the examples of docs/reading-snapshots.md', () => {
  it('read each document of the published snapshot once in DuckDB, with every digit', async () => {
    const read = await python(`
import duckdb, json
db = duckdb.connect()
statements = ${JSON.stringify(exampleOf('DuckDB'))}
counts = [statement for statement in duckdb.extract_statements(statements)]
for statement in counts[:-1]: db.execute(statement)
counted = db.execute(counts[-1]).fetchone()
amount = db.execute("SELECT document::VARCHAR FROM clients WHERE id = 'precise'").fetchall()
print(json.dumps([counted, amount]))`)
    expect(read).toEqual([[95, 95], [[precise]]])
  })

  it('read each document of the published snapshot once in pandas', async () => {
    const read = await python(`${exampleOf('pandas')}
precise = clients[clients['id'] == 'precise'].iloc[0]
abandoned = bool((clients['id'] == 'abandoned').any())
print(json.dumps([len(clients), clients['id'].nunique(), abandoned, precise['code'], precise['modified']]))`)
    expect(read).toEqual([95, 95, false, '007', '2026-01-01'])
  })

  it('find every document in the pages that the Athena table lists', async () => {
    const urls = readFileSync(join(folder, 'copy', tableKey('CL')), 'utf8')
      .trimEnd()
      .split('\n')
    const read = await python(`
import duckdb, json
pages = ${JSON.stringify(urls.map((url) => url.replace(`s3://${stores.bucket}/`, 'copy/')))}
print(json.dumps(duckdb.execute('SELECT count(*) FROM read_ndjson_objects(?)', [pages]).fetchone()))`)
    expect(read).toEqual([95])
  })
})
