export const changeKinds = ['added', 'removed', 'retyped'] as const

/** Paths that are new, paths that are gone, and paths with a type that is new or gone. */
export type ChangedPaths = Readonly<Record<(typeof changeKinds)[number], readonly string[]>>

/** The first paths of each kind, so that an event can carry them, and how many there are. */
export interface ReportChanges extends ChangedPaths {
  readonly counts: Readonly<Record<(typeof changeKinds)[number], number>>
}

/** By path, the types of its values before and after. Empty if all were null. */
export type RetypedTypes = Readonly<
  Record<string, { readonly before: readonly string[]; readonly after: readonly string[] }>
>

/** The content of `snapshots/<entity>/<runId>/schema-changes.json`. It has no values. */
export interface StoredChanges extends ReportChanges {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  /** Of the paths in `retyped`; 1.1.0 does not store them. */
  readonly types?: RetypedTypes
}
