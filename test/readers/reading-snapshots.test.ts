import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { tableKey } from '../../stored/snapshots/manifest.ts'
import { type EmbeddedStores, startEmbeddedStores } from '../integration/embedded-stores.ts'
import { entitySettings, syncWorld } from '../integration/sync-world.ts'
import { duckdb, examplesOf, programs, python } from './docs-examples.ts'

const precise =
  '{"id":"precise","amount":12345678901234567890.1234567890,"code":"007","modified":"2026-01-01"}'
/** Documents that JSON allows and that some readers refuse, and what the recipes read as their note. */
const odd: readonly (readonly [document: string, id: string, note: string])[] = [
  [String.raw`{"id":"high","note":"cut by a form: \ud83d"}`, 'high', '"cut by a form: \ufffd"'],
  [String.raw`{"id":"low","note":"\uDE00 x"}`, 'low', '"\ufffd x"'],
  [String.raw`{"id":"order","note":"\ude00\ud83d\ud83d\ude00"}`, 'order', '"\ufffd\ufffd😀"'],
  [String.raw`{"id":"slash","note":"\\ud83d \\\ud83d"}`, 'slash', String.raw`"\\ud83d \\`.concat('\ufffd"')],
  [String.raw`{"id":"name","\ud83d":1,"note":"x"}`, 'name', '"x"'],
  [String.raw`{"id":"\ud83d4","note":"id"}`, '\ufffd4', '"id"'],
  [String.raw`{"id":"array","note":[["\ud83d"]]}`, 'array', '[["\ufffd"]]'],
  [String.raw`{"id":"nul","note":"\u0000"}`, 'nul', String.raw`"\u0000"`],
  ['{"id":"none","note":"\uffff \\ufdd0"}', 'none', '"\uffff \ufdd0"'],
  ['{"id":"large","note":1e400}', 'large', '1e400'],
  ['{"id":"long","note":123456789012345678901234567890}', 'long', '123456789012345678901234567890'],
  [`{"id":"digits","note":${'9'.repeat(4000)}}`, 'digits', '9'.repeat(4000)],
  [`{"id":"deep","note":${'['.repeat(800)}${']'.repeat(800)}}`, 'deep', '['.repeat(800) + ']'.repeat(800)],
]
const count = 95 + odd.length

let stores: EmbeddedStores
let platform: Platform
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-reading-'))
  stores = await startEmbeddedStores()
  platform = await startPlatform({
    documents: {
      CL: [...makeDocuments(94), ...[precise, ...odd.map(([json]) => json)].map((json) => Buffer.from(json))],
    },
  })
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

describe.skipIf(!programs)('the examples of docs/reading-snapshots.md', () => {
  const [macro = '', view = ''] = examplesOf('examples/duckdb/README.md', 'Read a snapshot')
  const [pandas = ''] = examplesOf('examples/pandas/README.md', 'pandas', 'python')

  it('read each document of the published snapshot once in DuckDB, with every digit', async () => {
    expect(await duckdb([macro, view], folder)).toEqual([[count, count]])
    const select = "SELECT document::VARCHAR, is_repaired FROM clients WHERE id = 'precise'"
    expect(await duckdb([macro, view, select], folder)).toEqual([[precise, false]])
  })

  it('read documents in DuckDB that its JSON parser refuses, and find them', async () => {
    const [find = ''] = examplesOf('docs/reading-snapshots.md', 'Half of a surrogate pair')
    const found = (await duckdb([macro, view, find], folder)) as [string][]
    const repaired = odd.slice(0, 7).map(([, id]) => id)
    expect(found.map(([id]) => id).toSorted()).toEqual(repaired.toSorted())
    const notes = await duckdb(
      [macro, view, "SELECT id, (document -> '$.note')::VARCHAR FROM clients"],
      folder,
    )
    for (const [, id, note] of odd) expect(notes).toContainEqual([id, note])
  })

  it('read each document of the published snapshot once in pandas', async () => {
    const read = await python(
      `${pandas}
precise = clients[clients['id'] == 'precise'].iloc[0]
abandoned = bool((clients['id'] == 'abandoned').any())
notes = dict(zip(clients['id'], clients['note']))
texts = [notes[id] for id in ('high', 'low', 'order', '\\ufffd4', 'array', 'nul', 'none')]
print(json.dumps([len(clients), clients['id'].nunique(), abandoned, precise['code'], precise['modified'], texts]))`,
      folder,
    )
    const texts = [
      'cut by a form: \ufffd',
      '\ufffd x',
      '\ufffd\ufffd😀',
      'id',
      [['\ufffd']],
      '\0',
      '\uffff \ufdd0',
    ]
    expect(read).toEqual([count, count, false, '007', '2026-01-01', texts])
  })

  it('find every document in the pages that the Athena table lists', async () => {
    const urls = readFileSync(join(folder, 'copy', tableKey('CL')), 'utf8')
      .trimEnd()
      .split('\n')
    const pages = urls.map((url) => `'${url.replace(`s3://${stores.bucket}/`, 'copy/')}'`)
    expect(await duckdb([macro, `SELECT count(*) FROM json_lines([${pages.join()}])`], folder)).toEqual([
      [count],
    ])
  })
})
