import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Latest, latestKey, type Manifest } from '../../functions/state/snapshots/manifest.ts'
import { output, shortened } from '../output.ts'

/** Reads the snapshot as readers do: latest.json, its manifest, and a page that is checked against its hash. */
export async function showSnapshot(bucketUrl: string, entity: string) {
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
