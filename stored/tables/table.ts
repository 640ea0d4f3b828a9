/** A column of the current schema of an entity's table. */
export interface TableColumn {
  /** The Iceberg field id. It is never used again for another column. */
  readonly id: number
  /** As in the configuration, such as `decimal(18,2)`. */
  readonly type: string
  /** The member names that lead to the value. */
  readonly from: readonly string[]
  readonly hash?: 'sha256'
}

/** Whether the table in Glue matches `latest.json`. `off`: there is no Glue database. */
export type GlueState =
  | { readonly state: 'off' | 'current' }
  /** `reason`: the name of an AWS error. `since`: the first commit that it does not have, as `committedAt`. */
  | { readonly state: 'failed'; readonly reason: string; readonly since: string }

/** An Iceberg snapshot that a commit dropped. Its files are deleted a day later. */
export interface DroppedRun {
  readonly runId: string
  readonly at: string
}

/** The content of `iceberg/<entity>/latest.json`, where every reader without a catalog starts. */
export interface TableLatest {
  /** The run whose snapshot the table contains. */
  readonly runId: string
  /** Key of the table's metadata. */
  readonly metadata: string
  readonly rows: number
  readonly columns: Readonly<Record<string, TableColumn>>
  /** How many values of each column became null because they did not fit. */
  readonly rejected: Readonly<Record<string, number>>
  readonly committedAt: string
  /** Whether the event was sent. */
  readonly announced: boolean
  /** Until the first update after the commit: a failure before it, else null. */
  readonly glue: GlueState | null
  /** Address of the metadata that Glue names, when last known. Its files stay, so that Athena can read the table. */
  readonly inGlue: string | null
  /** What was dropped within the last day. */
  readonly dropped: readonly DroppedRun[]
}

/** What is known about Glue right after a commit that replaces `previous`. */
export const glueAfterCommit = (previous: TableLatest | undefined): Pick<TableLatest, 'glue' | 'inGlue'> => ({
  glue: previous?.glue?.state === 'failed' ? previous.glue : null,
  inGlue: previous?.inGlue ?? null,
})

/** How many values of a column did not fit. A column can have the same name as a member of Object.prototype. */
export const rejectedOf = ({ rejected }: Pick<TableLatest, 'rejected'>, column: string): number =>
  Object.hasOwn(rejected, column) ? (rejected[column] ?? 0) : 0

/** Why the table of a run could not be made: the content of `iceberg/<entity>/failed.json`. A later commit outdates it. */
export interface TableFailure {
  readonly runId: string
  readonly reason: string
  readonly failedAt: string
  /** When the first table failed since the last one that was committed. Absent from failures of 1.0.0. */
  readonly since?: string
}

export const icebergPrefix = 'iceberg/'
export const tablePrefix = (entity: string) => `${icebergPrefix}${entity}/`
export const tableLatestKey = (entity: string) => `${tablePrefix(entity)}latest.json`
export const tableFailureKey = (entity: string) => `${tablePrefix(entity)}failed.json`

/** The run to which an object of a table belongs; undefined for `latest.json`. */
export function runOfTableKey(entity: string, key: string): string | undefined {
  const [, run] =
    /^(?:data|work|metadata)\/(?:\d+-)?(\d{8}T\d{9}Z-[0-9a-f]{12})/.exec(
      key.slice(tablePrefix(entity).length),
    ) ?? []
  return run
}

/** The files of one chunk. `unique` is the name of the invocation that wrote them. */
export const dataFileKey = (entity: string, runId: string, unique: string) =>
  `${dataPrefix(entity, runId)}${unique}.parquet`
export const dataPrefix = (entity: string, runId: string) => `${tablePrefix(entity)}data/${runId}/`
export const manifestFileKey = (entity: string, runId: string, unique: string) =>
  `${tablePrefix(entity)}metadata/${runId}-${unique}-m.avro`

/** The files of one commit: the manifest of the data files that it deletes, and the manifest list. */
export const deletedManifestKey = (entity: string, runId: string, unique: string) =>
  `${tablePrefix(entity)}metadata/${runId}-${unique}-d.avro`
export const manifestListKey = (entity: string, runId: string, unique: string) =>
  `${tablePrefix(entity)}metadata/${runId}-${unique}-s.avro`

/** The name of a metadata file. Readers of Iceberg's Java library expect a number first, and warn without it. */
export interface MetadataName {
  readonly version: number
  readonly runId: string
  readonly unique: string
}
export const metadataKey = (entity: string, { version, runId, unique }: MetadataName) =>
  `${tablePrefix(entity)}metadata/${version}-${runId}-${unique}.metadata.json`

/** What a plan stores for its chunks, and what they store for the commit. */
export const workPrefix = (entity: string, runId: string, plan: string) =>
  `${tablePrefix(entity)}work/${runId}/${plan}/`
