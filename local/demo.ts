import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { type Bar, progressBars } from '../cli/shell/progress.ts'
import { partitionsRemark, runBars } from '../cli/sync/run-bars.ts'
import { type Latest, latestKey, type Manifest } from '../functions/state/manifest.ts'
import type { RunView } from '../functions/sync-api/views.ts'
import type { Bundle } from './bundle.ts'
import { exampleDock, exampleSubscription } from './example-shop.ts'
import { output, shortened } from './output.ts'

interface Demo {
  readonly bundle: Bundle
  readonly entity: string | undefined
  /** On a real platform the demo changes nothing and reads only what every platform has. */
  readonly platform: 'stand-in' | 'real'
}

/** Uses the API as a client would, and prints requests and responses. False if any step failed. */
export async function runDemo({ bundle, entity, platform }: Demo): Promise<boolean> {
  const steps = platform === 'real' ? [] : [() => readDock(bundle), () => patchSubscription(bundle)]
  steps.push(() => syncEntity(bundle, entity))
  let succeeded = true
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      succeeded = false
      output.failed(error instanceof Error ? error.message : String(error))
    }
  }
  if (!succeeded) output.failed(`The demo failed. See the functions' log: ${bundle.logFile}`)
  return succeeded
}

async function readDock({ apiUrl }: Bundle) {
  await send(apiUrl, `GET /api/logistics/pvt/configuration/docks/${exampleDock}`)
}

async function patchSubscription({ apiUrl }: Bundle) {
  const body = JSON.stringify({ item: { quantity: 3 } })
  const text = await send(apiUrl, `PATCH /api/rns/subscriptions/${exampleSubscription}`, body)
  const { item } = JSON.parse(text) as { item: { quantity: number } }
  if (item.quantity !== 3) throw new Error('The subscription was not updated.')
}

async function syncEntity(bundle: Bundle, entity: string | undefined) {
  if (entity === undefined)
    throw new Error('No entity is configured: add one to `entities` of the configuration.')
  const { statusUrl } = JSON.parse(await send(bundle.apiUrl, `POST /syncs/${entity}`)) as {
    statusUrl: string
  }
  const run = await follow(statusUrl)
  if (run.status !== 'published') throw new Error(`The sync ended as ${run.status}: ${run.reason}`)
  const proof = run.proof === 'exact' ? 'proof: exact' : `proof: ${run.proof}`
  output.done(`published ${run.documents.toLocaleString('en')} documents; ${proof}`)
  const remark = partitionsRemark(run)
  if (remark) output.failed(remark)
  await showSnapshot(bundle.bucketUrl, entity)
}

async function follow(statusUrl: string): Promise<RunView> {
  const bars = progressBars(process.stdout)
  try {
    for (;;) {
      const run = (await (await fetch(statusUrl)).json()) as RunView
      bars.show(runBars(run).map(indented))
      if (!['running', 'waiting', 'publishing'].includes(run.status)) return run
      await wait(100)
    }
  } finally {
    bars.end()
  }
}

const indented = (bar: Bar): Bar => ({ ...bar, title: `  ${bar.title}` })

/** Reads the snapshot as readers do: latest.json, its manifest, and a page that is checked against its hash. */
async function showSnapshot(bucketUrl: string, entity: string) {
  const object = async (key: string) => {
    const response = await fetch(`${bucketUrl}/${key}`)
    if (!response.ok) throw new Error(`${key} cannot be read: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const latest = JSON.parse(String(await object(latestKey(entity)))) as Latest
  const manifest = JSON.parse(String(await object(latest.manifest))) as Manifest
  output.found(
    'Snapshot (readers start at latest.json)',
    `${bucketUrl}/${latestKey(entity)}\n${bucketUrl}/${latest.manifest}`,
  )
  output.found('Manifest', formatManifest(manifest))
  const [page] = manifest.pages
  if (!page) return
  const bytes = await object(page.key)
  if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) {
    throw new Error(`${page.key} does not have the hash in its manifest.`)
  }
  output.found('First document', shortened(String(gunzipSync(bytes)).split('\n')[0] ?? ''))
}

/** The manifest with one key per line, reduced to its first page. */
function formatManifest({ pages, ...rest }: Manifest): string {
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

/** Sends one request through the API and prints it. Throws if it fails. */
async function send(apiUrl: string, line: `${Method} /${string}`, body?: string): Promise<string> {
  output.request(body ? `${line}  ${body}` : line)
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(apiUrl + path, {
    method,
    ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  output.answer(response.status, text)
  if (!response.ok) throw new Error(`${line} was answered with ${response.status}.`)
  return text
}
