import type { Proof } from './proof.ts'
import type { Spent } from './run.ts'

export interface ManifestPage {
  readonly key: string
  readonly documents: number
  /** Size and SHA-256 (hex) of the object. */
  readonly bytes: number
  readonly sha256: string
}

/** Describes a published snapshot. Written after its pages and never changed. */
export interface Manifest {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly startedAt: string
  /** When the first page of the published attempt was answered: the snapshot is as of that time. */
  readonly openedAt: string
  readonly finishedAt: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** The field that identifies a document. */
  readonly idField: string
  readonly pageSize: number
  readonly attempts: number
  readonly documents: number
  readonly uniqueIds: number
  /** Null if the platform reported no valid total. */
  readonly reportedTotal: number | null
  readonly proof: Proof
  readonly spent: Spent
  readonly pages: readonly ManifestPage[]
}

/** Content of `latest.json`, where every reader starts. */
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

/** The object that an entity's Athena table reads: a list of the published snapshot's pages. */
export const tableKey = (entity: string) => `tables/${entity}/pages.txt`

/** In the format of Hive's SymlinkTextInputFormat: one address per line. */
export const tableOf = (bucket: string, { pages }: Manifest) =>
  pages.map(({ key }) => `s3://${bucket}/${key}\n`).join('')

/** The unique key of a page's object. It contains the number of the attempt. */
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
