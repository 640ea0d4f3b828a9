import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { progressBar } from '../cli/shell/progress.ts'
import { type Latest, latestKey, type Manifest } from '../functions/state/manifest.ts'
import type { RunView } from '../functions/sync-api/views.ts'
import type { Bundle } from './bundle.ts'
import { exampleDock, exampleSubscription } from './example-shop.ts'
import { say, shortened } from './output.ts'

interface Show {
  readonly bundle: Bundle
  readonly entity: string | undefined
  /** Then nothing is changed there, and nothing read that is only the stand-in's. */
  readonly isRealPlatform: boolean
}

/** Shows the main job through the API, as a program of the owner's would do it. False if any part failed. */
export async function show({ bundle, entity, isRealPlatform }: Show): Promise<boolean> {
  const parts = isRealPlatform ? [] : [() => readDock(bundle), () => patchSubscription(bundle)]
  parts.push(() => syncEntity(bundle, entity))
  let isWhole = true
  for (const part of parts) {
    try {
      await part()
    } catch (error) {
      isWhole = false
      say.failed(error instanceof Error ? error.message : String(error))
    }
  }
  if (!isWhole) say.failed(`Not all of it worked. What the functions say of it: ${bundle.logFile}`)
  return isWhole
}

async function readDock({ apiUrl }: Bundle) {
  await send(apiUrl, `GET /api/logistics/pvt/configuration/docks/${exampleDock}`)
}

async function patchSubscription({ apiUrl }: Bundle) {
  const body = JSON.stringify({ item: { quantity: 3 } })
  const text = await send(apiUrl, `PATCH /api/rns/subscriptions/${exampleSubscription}`, body)
  const { item } = JSON.parse(text) as { item: { quantity: number } }
  if (item.quantity !== 3) throw new Error('The subscription was not changed.')
}

async function syncEntity(bundle: Bundle, entity: string | undefined) {
  if (entity === undefined)
    throw new Error('No entity is configured: add one to `entities` of the configuration.')
  const { statusUrl } = JSON.parse(await send(bundle.apiUrl, `POST /syncs/${entity}`)) as {
    statusUrl: string
  }
  const run = await follow(statusUrl, entity)
  if (run.status !== 'published') throw new Error(`The sync ended as ${run.status}: ${run.reason}`)
  const proof = run.proof === 'exact' ? 'every document is there' : `proof: ${run.proof}`
  say.done(`published ${run.documents.toLocaleString('en')} documents; ${proof}`)
  await showSnapshot(bundle.bucketUrl, entity)
}

async function follow(statusUrl: string, entity: string): Promise<RunView> {
  const bar = progressBar(`  ${entity}`, process.stdout)
  try {
    for (;;) {
      const run = (await (await fetch(statusUrl)).json()) as RunView
      bar.show(run.documents, run.total)
      if (!['running', 'waiting', 'publishing'].includes(run.status)) return run
      await wait(100)
    }
  } finally {
    bar.end()
  }
}

/** Reads the snapshot as its readers do: latest.json, the manifest it names, a page, each against its hash. */
async function showSnapshot(bucketUrl: string, entity: string) {
  const object = async (key: string) => {
    const response = await fetch(`${bucketUrl}/${key}`)
    if (!response.ok) throw new Error(`${key} cannot be read: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const latest = JSON.parse(String(await object(latestKey(entity)))) as Latest
  const manifest = JSON.parse(String(await object(latest.manifest))) as Manifest
  say.found(
    'Snapshot (readers begin at the first)',
    `${bucketUrl}/${latestKey(entity)}\n${bucketUrl}/${latest.manifest}`,
  )
  say.found('Manifest', written(manifest))
  const [page] = manifest.pages
  if (!page) return
  const bytes = await object(page.key)
  if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) {
    throw new Error(`${page.key} does not have the hash that the manifest says.`)
  }
  say.found('First document', shortened(String(gunzipSync(bytes)).split('\n')[0] ?? ''))
}

/** The manifest with one key a line, and its first page for all. */
function written({ pages, ...rest }: Manifest): string {
  const lines = Object.entries(rest).map(([name, value]) => `"${name}":${JSON.stringify(value)}`)
  const [first] = pages
  if (first) {
    const page = { ...first, key: `…${first.key.slice(-30)}`, sha256: `${first.sha256.slice(0, 12)}…` }
    const more = pages.length > 1 ? `, … ${pages.length - 1} more` : ''
    lines.push(`"pages":[${JSON.stringify(page)}${more}]`)
  }
  return `{ ${lines.join(',\n  ')} }`
}

type Method = 'GET' | 'PATCH' | 'POST'

/** Sends one request through the API and shows it. Throws if it is refused. */
async function send(apiUrl: string, line: `${Method} /${string}`, body?: string): Promise<string> {
  say.request(body ? `${line}  ${body}` : line)
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(apiUrl + path, {
    method,
    ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  say.answer(response.status, text)
  if (!response.ok) throw new Error(`${line} was answered with ${response.status}.`)
  return text
}
