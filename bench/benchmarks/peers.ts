import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { FaultRule } from '../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { type Latest, latestKey, type Manifest } from '../../stored/snapshots/manifest.ts'
import { run } from '../../test/processes.ts'
import { pythonTools } from '../../test/python-tools.ts'
import { bucket, entity } from '../names.ts'
import { peerFaults } from '../peers/faults.ts'
import { functionEnvironment, measure, startServer } from '../processes.ts'
import type { Report } from '../report.ts'

const documents = 1_000
const pageLength = 100

/** Copies the entity of a platform, and returns the ids that its readers have afterwards. Throws if it failed. */
type Program = (platform: Platform, folder: string) => Promise<readonly string[]>

/** What each of four programs publishes when one thing goes wrong. */
export async function benchPeers({ quick }: { quick: boolean }): Promise<Report> {
  const programs = await installed()
  const names = Object.keys(programs)
  const rows: string[][] = []
  const wrong = new Map(names.map((name) => [name, 0]))
  const faults = quick ? peerFaults.slice(0, 2) : peerFaults
  for (const { name: fault, rule } of [{ name: 'nothing', rule: undefined }, ...faults]) {
    const row = [fault]
    for (const [name, program] of Object.entries(programs)) {
      const result = await resultOf(program, rule)
      if (result.startsWith('WRONG')) wrong.set(name, (wrong.get(name) ?? 0) + 1)
      row.push(result)
    }
    rows.push(row)
  }
  rows.push(['wrong results', ...names.map((name) => String(wrong.get(name)))])
  return {
    title: `Peers: what is published of ${documents} documents when one thing goes wrong, in pages of ${pageLength}`,
    columns: ['', ...names],
    rows,
    targets: [
      {
        goal: 'Wrong results of Longshore = 0',
        measured: String(wrong.get('Longshore')),
        met: wrong.get('Longshore') === 0,
      },
    ],
    notes: ['failed: nothing was published, and readers keep what they had.'],
  }
}

async function installed(): Promise<Readonly<Record<string, Program>>> {
  const programs = await pythonTools('peers', new URL('../peers/requirements.txt', import.meta.url))
  const python = programs && join(programs, 'python')
  return {
    'a script': handWritten,
    ...(python && { 'airbyte-cdk': airbyte(python), dlt: dlt(python) }),
    Longshore: longshore,
  }
}

async function resultOf(program: Program, rule: FaultRule | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-peers-'))
  const platform = await startPlatform({
    documents: { [entity]: generated() },
    // Every program asks for 1,000 documents at once. Stock readers of JSON fail at the empty body of other platforms.
    scroll: { pageScale: pageLength / 1000, end: 'brackets' },
  })
  if (rule) platform.faults.add(rule)
  try {
    return judge(await program(platform, folder))
  } catch {
    return 'failed'
  } finally {
    await platform.close()
    rmSync(folder, { recursive: true })
  }
}

const generated = () =>
  Array.from({ length: documents }, (_, index) =>
    Buffer.from(JSON.stringify({ id: `document-${index}`, updatedIn: null, amount: index })),
  )

function judge(ids: readonly string[]): string {
  const unique = new Set(ids).size
  if (unique < documents) return `WRONG: ${documents - unique} missing`
  return ids.length === unique ? 'right' : `WRONG: ${ids.length - unique} twice`
}

const script = (name: string) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url))
const runScript = (file: string, name: string, ...args: readonly string[]) =>
  run({ file, arguments: [script(name), ...args] }, { add: () => undefined })

async function handWritten({ url }: Platform, folder: string): Promise<readonly string[]> {
  const file = join(folder, 'documents.jsonl')
  await runScript(process.execPath, 'script.ts', url, file)
  return idsOf(readFileSync(file, 'utf8'))
}

/** A destination of Airbyte takes over what was read when the program ends with 0. */
const airbyte =
  (python: string): Program =>
  async ({ url }, folder) =>
    linesOf(await runScript(python, 'airbyte.py', url, folder))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { type: string; record?: { data: { id: string } } })
      .flatMap(({ record }) => (record ? [record.data.id] : []))

const dlt =
  (python: string): Program =>
  async ({ url }, folder) => {
    await runScript(python, 'dlt_files.py', url, folder, '--tuned')
    const files = join(folder, 'files', 'bench', 'documents')
    return readdirSync(files).flatMap((name) => idsOf(text(readFileSync(join(files, name)))))
  }

async function longshore({ url }: Platform): Promise<readonly string[]> {
  await using aws = await startServer<Record<string, string>>('aws')
  using deployment = functionEnvironment(url, aws.ready)
  await measure('worker', { variables: deployment.variables })
  return await publishedIds(aws.ready)
}

async function publishedIds(variables: Readonly<Record<string, string>>): Promise<readonly string[]> {
  Object.assign(process.env, variables)
  const s3 = new S3Client({})
  const read = async (key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  const latest = JSON.parse(String(await read(latestKey(entity)))) as Latest
  const manifest = JSON.parse(String(await read(latest.manifest))) as Manifest
  const pages = await Promise.all(manifest.pages.map(({ key }) => read(key)))
  return pages.flatMap((page) => idsOf(text(page)))
}

const gzipMagic = 0x1f8b
const text = (bytes: Buffer) =>
  String(bytes.length > 1 && bytes.readUInt16BE(0) === gzipMagic ? gunzipSync(bytes) : bytes)
const linesOf = (printed: string) => printed.split('\n').filter((line) => line !== '')
const idsOf = (lines: string) => linesOf(lines).map((line) => (JSON.parse(line) as { id: string }).id)
