/** Paths that are new, paths that are gone, and paths with a type that is new or gone. */
export interface ReportChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly retyped: readonly string[]
}

/** The content of `snapshots/<entity>/<runId>/schema-changes.json`. It has no values. */
export interface StoredChanges extends ReportChanges {
  readonly version: 1
  readonly entity: string
  readonly runId: string
}
