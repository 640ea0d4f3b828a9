import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Manifest, ManifestPage } from '../../stored/snapshots/manifest.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortenedLine } from '../output.ts'
import { sendRequest } from './api-request.ts'

/** The published manifest, with a link to each page that works without credentials. */
type LinkedManifest = Omit<Manifest, 'pages'> & {
  readonly pages: readonly (ManifestPage & { readonly link: string })[]
}

/** Reads the snapshot as callers of the API do: its manifest, and a page that is checked against its hash. */
export async function showSnapshot({ apiUrl }: Bundle, entity: string) {
  const manifest = JSON.parse(await sendRequest(apiUrl, `GET /syncs/${entity}/snapshot`)) as LinkedManifest
  output.found('Manifest', formatManifest(manifest))
  const [page] = manifest.pages
  if (!page) return
  const response = await fetch(page.link)
  if (!response.ok) throw new Error(`${page.key} cannot be read: ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) {
    throw new Error(`${page.key} does not have the hash in its manifest.`)
  }
  output.found('First document', shortenedLine(String(gunzipSync(bytes)).split('\n')[0] ?? ''))
}

/** The manifest with one key per line, reduced to its first page. */
function formatManifest({ pages, ...rest }: LinkedManifest): string {
  const lines = Object.entries(rest).map(([name, value]) => `"${name}":${JSON.stringify(value)}`)
  const [first] = pages
  if (first) {
    const { link: _, ...named } = first
    const page = { ...named, key: `…${first.key.slice(-30)}`, sha256: `${first.sha256.slice(0, 12)}…` }
    const more = pages.length > 1 ? `, … ${pages.length - 1} more` : ''
    lines.push(`"pages":[${JSON.stringify(page)}${more}]`)
  }
  return `{ ${lines.join(',\n  ')} }`
}
