import type { Proof } from './proof.ts'
import type { Spent } from './run.ts'

export interface ManifestPage {
  readonly key: string
  readonly documents: number
  /** Size and SHA-256 (hex) of the object as it lies in the bucket. */
  readonly bytes: number
  readonly sha256: string
}

/** What a reader needs to know of a snapshot. Written after the pages, and never changed. */
export interface Manifest {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** The field that documents are known by. */
  readonly idField: string
  readonly pageSize: number
  readonly attempts: number
  readonly documents: number
  readonly uniqueIds: number
  /** Null if the platform reported none. */
  readonly reportedTotal: number | null
  readonly proof: Proof
  readonly spent: Spent
  readonly pages: readonly ManifestPage[]
}

/** What `latest.json` holds: the one door to an entity's snapshots. */
export interface Latest {
  readonly runId: string
  readonly manifest: string
  readonly publishedAt: string
  readonly documents: number
}

export const snapshotsPrefix = (entity: string) => `snapshots/${entity}/`
export const runPrefix = (entity: string, runId: string) => `${snapshotsPrefix(entity)}${runId}/`
export const manifestKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}manifest.json`
export const latestKey = (entity: string) => `${snapshotsPrefix(entity)}latest.json`

/** What an entity's table reads: one object that lists the pages of the published snapshot, and nothing else. */
export const tableKey = (entity: string) => `tables/${entity}/pages.txt`

/** As Hive's SymlinkTextInputFormat reads it: an address a line. A snapshot without documents has none. */
export const tableOf = (bucket: string, { pages }: Manifest) =>
  pages.map(({ key }) => `s3://${bucket}/${key}\n`).join('')

/** A page's object: a name that nobody else uses, which tells its attempt (a partition would stand before it). */
export function pageKey(
  run: { entity: string; runId: string; attempt: number },
  page: number,
  unique: string,
): string {
  return `${runPrefix(run.entity, run.runId)}a${run.attempt}-p${String(page).padStart(6, '0')}-${unique}.ndjson.gz`
}

export function attemptOfPageKey(key: string): number | undefined {
  const attempt = /\/a(\d+)-p\d+-[^/]*$/.exec(key)?.[1]
  return attempt === undefined ? undefined : Number(attempt)
}
