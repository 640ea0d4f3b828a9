import { pick } from '../../functions/runtime/pick.ts'
import type { AttemptId } from '../pages/page-partition.ts'
import type { RunResult } from '../run/run.ts'
import type { ManifestPartition, PartitionResult } from '../run/split.ts'

export interface ManifestPage extends NamedObject {
  readonly documents: number
  /** The place of its range in `partitions`. Absent without them, and from snapshots of older releases. */
  readonly range?: number
}

/** Describes a published snapshot. Written after its pages and never changed. */
export interface Manifest extends Omit<RunResult, 'pages' | 'partitions'> {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly startedAt: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** The field that identifies a document. */
  readonly idField: string
  readonly attempts: number
  /** Only of a snapshot that was scrolled in ranges. */
  readonly partitions?: readonly ManifestPartition[]
  readonly partitionedBy?: PartitionedBy
  /** The run whose pages these are copies of. Only of a snapshot that was published again. */
  readonly republishedFrom?: string
  /** What its proof was decided from. Absent from snapshots of older releases. */
  readonly evidence?: NamedObject
  readonly pages: readonly ManifestPage[]
}

/** Size and SHA-256 (hex) of an object. */
export interface NamedObject {
  readonly key: string
  readonly bytes: number
  readonly sha256: string
}

/** How the ranges were defined. The next run uses the boundaries again while they are balanced. */
export type PartitionedBy = Omit<PartitionResult, 'ranges'>

/** Content of `latest.json`, where every reader starts. */
export interface Latest {
  readonly runId: string
  readonly manifest: string
  readonly publishedAt: string
  readonly documents: number
  /** Of the manifest's object, in hex. Absent from what older releases published. */
  readonly sha256?: string
}

/** Where objects of entities are stored: `tables/` lists objects. */
export const entityFolders = ['tables/', 'iceberg/', 'changes/', 'snapshots/'] as const

/** The name of a folder that lists parts of change sets. The dot keeps it apart from the folder of every entity. */
export const changesFolder = (entity: string) => `${entity}.changes`

/** The entity of a folder below these. */
export const entityOfFolder = (name: string) => name.replace(/\.changes$/, '')

/** Everything of an entity. */
export const entityPrefixes = (entity: string) => [
  `tables/${changesFolder(entity)}/`,
  ...entityFolders.map((folder) => `${folder}${entity}/`),
]

export const snapshotsPrefix = (entity: string) => `snapshots/${entity}/`
export const runPrefix = (entity: string, runId: string) => `${snapshotsPrefix(entity)}${runId}/`
export const manifestKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}manifest.json`
export const runOfManifestKey = (key: string) => key.split('/').at(-2) ?? ''
/** The report on the fields of the documents. It has no values. */
export const schemaReportKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}schema.json`
/** How that report differs from the previous one; absent if it does not. */
export const schemaChangesKey = (entity: string, runId: string) =>
  `${runPrefix(entity, runId)}schema-changes.json`
/** The manifest that a refused run would have had. */
export const refusedKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}refused.json`
/** What a proof was decided from. */
export const evidenceKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}evidence.json`
/** The manifest that a checked run would have. */
export const checkedManifestKey = (entity: string, runId: string) =>
  `${runPrefix(entity, runId)}check-manifest.json`
/** How a check of the run's change set ended that did not publish it. */
export const checkedSetKey = (entity: string, runId: string) => `${runPrefix(entity, runId)}check-set.json`
export const latestKey = (entity: string) => `${snapshotsPrefix(entity)}latest.json`

/** What the manifest of a run says about its proof. */
export function resultOfManifest(manifest: Manifest): RunResult {
  const { pages, partitions, partitionedBy, withoutId } = manifest
  return {
    ...pick(manifest, 'proof', 'documents', 'uniqueIds', 'reportedTotal'),
    ...pick(manifest, 'pageSize', 'openedAt', 'finishedAt', 'spent'),
    ...(withoutId !== undefined && { withoutId }),
    pages: pages.length,
    partitions: partitionedBy && { ...partitionedBy, ranges: partitions ?? [] },
  }
}

/** The manifest of a run that publishes copies of an older snapshot's pages. It is as of the same time. */
export function republishedManifest(
  source: Manifest,
  { runId, startedAt }: Pick<Manifest, 'runId' | 'startedAt'>,
): Manifest {
  const { entity, pages } = source
  const prefix = runPrefix(entity, source.runId)
  return {
    ...source,
    runId,
    startedAt,
    spent: { requests: 0, receivedBytes: 0, milliseconds: 0 },
    republishedFrom: source.runId,
    pages: pages.map((page) => ({ ...page, key: runPrefix(entity, runId) + page.key.slice(prefix.length) })),
  }
}

/** The object that an entity's Athena table reads: a list of the published snapshot's pages. */
export const tableKey = (entity: string) => `tables/${entity}/pages.txt`

/** In the format of Hive's SymlinkTextInputFormat: one address per line. */
export const tableOf = (bucket: string, { pages }: Manifest) =>
  pages.map(({ key }) => `s3://${bucket}/${key}\n`).join('')

/** The unique key of a page's object. It contains the numbers of the range, if there is one, and of the attempt. */
export function pageKey(
  { entity, runId, range, attempt }: AttemptId & { readonly entity: string },
  page: number,
  unique: string,
): string {
  const name = `${range === undefined ? '' : `r${range}-`}a${attempt}-p${String(page).padStart(6, '0')}`
  return `${runPrefix(entity, runId)}${name}-${unique}.ndjson.gz`
}

/** The range (empty without partitions) and the attempt that the key of a page names, or of what was checked of it. */
export function attemptOfPageKey(
  key: string,
): { readonly range: string; readonly attempt: number } | undefined {
  const [, range = '', attempt] = /\/(?:check-)?(?:(r\d+)-)?a(\d+)-p\d+[-.][^/]*$/.exec(key) ?? []
  return attempt === undefined ? undefined : { range, attempt: Number(attempt) }
}

/** What the publisher stores of a check, of the whole run or of the pages that a manifest listed before. */
const isOfRun = (key: string) =>
  /\/(?:evidence\.json|check-(?:manifest|set)\.json|check-listed-[^/]*)$/.test(key)
export const isCheck = (key: string) => key.includes('/check-')

/**
 * Whether an object belongs to what a manifest describes: its pages, reports, evidence, and the checks of the attempts that
 * it lists. Objects of attempts that were given up do not.
 */
export function belongsTo({ entity, runId, pages }: Manifest): (key: string) => boolean {
  const own = new Set([
    ...pages.map(({ key }) => key),
    schemaReportKey(entity, runId),
    schemaChangesKey(entity, runId),
  ])
  const attempts = new Set(pages.map(({ key }) => nameOfAttempt(key)))
  const prefix = runPrefix(entity, runId)
  return (key) =>
    own.has(key) ||
    (key.startsWith(prefix) && (isOfRun(key) || (isCheck(key) && attempts.has(nameOfAttempt(key)))))
}

function nameOfAttempt(key: string): string {
  const { range, attempt } = attemptOfPageKey(key) ?? {}
  return `${range}#${attempt}`
}
