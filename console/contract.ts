/** The JSON API between the console's server and its page. Times are ISO 8601 in UTC unless a name ends with `Ms`. */

export const apiPrefix = '/console/api'

/** The age of a published snapshot compared with what the schedule promises. */
export type Freshness =
  | { readonly kind: 'fresh' | 'stale'; readonly ageMs: number; readonly maxAgeMs: number }
  /** The schedule promises no age, or there is none. */
  | { readonly kind: 'unscheduled'; readonly ageMs: number }
  | { readonly kind: 'never' }

export type RunStatus =
  | 'running'
  | 'waiting'
  | 'publishing'
  | 'published'
  | 'refused'
  | 'failed'
  | 'cancelled'
  | 'skipped'

export interface RangeRow {
  readonly where: string
  readonly documents: number
  readonly total: number | null
  readonly attempt: number
  readonly suspect: boolean
}

export interface RunRow {
  readonly runId: string
  readonly entity: string
  readonly status: RunStatus
  readonly startedAt: string
  readonly updatedAt: string
  readonly endedAt: string | null
  /** When a guard refused the run, if it was accepted afterwards. */
  readonly refusedAt: string | null
  readonly documents: number
  readonly total: number | null
  readonly percent: number | null
  readonly pages: number
  readonly attempt: number
  readonly suspect: boolean
  readonly reason: string | null
  readonly faults: Readonly<Record<string, number>>
  readonly documentsPerSecond: number | null
  readonly secondsLeft: number | null
  readonly uniqueIds: number | null
  readonly proof: string | null
  /** Null without partitions. In lists of ended runs the counts of ranges are zero. */
  readonly partitions: readonly RangeRow[] | null
  readonly partitionsReason: string | null
}

export interface SnapshotRow {
  readonly runId: string
  readonly publishedAt: string
  readonly documents: number
}

/** The last change set of an entity. */
export type ChangesRow =
  | { readonly kind: 'off' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'last'
      readonly set: SetRow
      /** False if the published snapshot has no change set: it is being compared, or was refused or failed. */
      readonly isCurrent: boolean
    }

export interface SetRow {
  readonly runId: string
  readonly base: string | null
  readonly kind: 'reset' | 'changes' | 'increment'
  readonly created: number
  readonly updated: number
  readonly deleted: number
  /** Only of an increment, which does not know which of the documents are new. */
  readonly delivered: number
}

/** What the schedule does next. */
export type NextRun =
  | { readonly kind: 'run'; readonly at: string }
  | { readonly kind: 'paused' | 'none' | 'unknown' }

/** Something that waits for a person. */
export interface AttentionRow {
  /** Words that are joined by hyphens, such as `run-refused`. */
  readonly kind: string
  /** Empty if it concerns the deployment as a whole. */
  readonly entities: readonly string[]
  /** Null if that is not known. */
  readonly since: string | null
  /** Null in an export: it may name what is in the account. */
  readonly details: {
    readonly evidence: string
    readonly action: string
    readonly command: string
  } | null
}

/** How far the increments of an entity have come. */
export interface IncrementsRow {
  readonly schedule: string
  /** When the last window that was read completely ended; null before the first. */
  readonly windowEnd: string | null
  readonly recordsLastDay: number
  /** Why the last one did not end well; null if it did. */
  readonly reason: string | null
}

export interface EntityRow {
  readonly entity: string
  readonly schedule: string
  readonly timezone: string
  readonly enabled: boolean
  readonly next: NextRun
  readonly freshness: Freshness
  readonly snapshot: SnapshotRow | null
  /** Of the published snapshot; null if its run has expired. */
  readonly proof: string | null
  readonly changes: ChangesRow
  /** Null without increments. */
  readonly increments: IncrementsRow | null
  readonly running: RunRow | null
  /** The last run that has ended and was not skipped. */
  readonly lastRun: RunRow | null
  /** Documents of the last published snapshots, oldest first. */
  readonly trend: readonly number[]
  readonly attention: readonly AttentionRow[]
}

/** What is the same on every page. */
export interface AboutResponse {
  readonly name: string
  /** Where this server serves the API reference page; null if it does not. */
  readonly referencePath: string | null
  /** Null while a server responds. */
  readonly exportedAt: string | null
}

/** The responses of an export by path. It is a global variable of the exported page. */
export type ExportedResponses = Readonly<Record<string, unknown>>

export const exportVariable = 'longshoreExport'

export interface OverviewResponse {
  readonly name: string
  readonly place: string
  readonly now: string
  /** Of all entities and of the deployment, the most urgent first; many of a kind are one. */
  readonly attention: readonly AttentionRow[]
  readonly entities: readonly EntityRow[]
}

export interface EntityResponse {
  readonly row: EntityRow
  /** Oldest first. */
  readonly sets: readonly SetRow[]
  readonly now: string
}

/** A field of the documents of a snapshot, as its schema report has it. */
export interface ReportedFieldRow {
  /** Names separated by dots. `*` is any member of a map. */
  readonly path: string
  readonly present: number
  readonly nulls: number
  readonly types: readonly { readonly type: string; readonly count: number }[]
  /** Strings that are timestamps. */
  readonly timestamps: number
}

/** The typed table of an entity. */
export interface TableRow {
  readonly state: 'current' | 'pending' | 'behind' | 'unlisted' | 'none' | 'off'
  /** Why some readers do not find the published snapshot in it. */
  readonly problem: string | null
  readonly published: {
    readonly runId: string
    readonly rows: number
    readonly committedAt: string
    readonly columns: readonly { readonly name: string; readonly type: string; readonly rejected: number }[]
  } | null
  /** Newest first. */
  readonly history: readonly {
    readonly runId: string
    readonly committedAt: string
    readonly rows: number
    /** Of all columns. */
    readonly rejected: number
  }[]
  readonly queries: readonly { readonly engine: string; readonly text: string }[]
}

export interface SchemaResponse {
  /** Null without columns. */
  readonly table: TableRow | null
  /** Null without a schema report of the published snapshot. */
  readonly report: {
    readonly runId: string
    readonly documents: number
    readonly truncated: boolean
    readonly fields: readonly ReportedFieldRow[]
  } | null
  /** How the fields differ from those of the snapshot before; null if they do not. */
  readonly changes: string | null
  /** Proposes columns. */
  readonly columnsCommand: string
  readonly now: string
}

/** Newest first. `next` continues after the last one. */
export interface RunsResponse {
  readonly runs: readonly RunRow[]
  readonly next: string | null
}

/** A run as a bar of the timeline. */
export interface TimelineRun extends Pick<RunRow, 'runId' | 'status' | 'startedAt' | 'endedAt'> {
  /** Null while the run is in progress. */
  readonly documents: number | null
}

/** The runs of an entity, oldest first. */
export interface TimelineLane {
  readonly entity: string
  readonly runs: readonly TimelineRun[]
}

export interface TimelineResponse {
  /** Entities in the order of the configuration. */
  readonly entities: readonly string[]
  /** Only what has changed after the revision that was asked for. */
  readonly lanes: readonly TimelineLane[]
  readonly revision: number
  readonly now: string
}

export interface StoryLine {
  readonly level: 'info' | 'good' | 'warning' | 'problem'
  readonly text: string
}

export interface RunResponse {
  readonly run: RunRow
  readonly story: readonly StoryLine[]
  readonly requests: number
  readonly receivedBytes: number
  /** What a guard refused and a person can accept; null if nothing waits. */
  readonly refused: RefusedRow | null
  /** The execution in the AWS console; null without one. */
  readonly executionUrl: string | null
  readonly logsCommand: string
  readonly comparison: RunComparison
  readonly now: string
}

/** When the pages of a run arrived. Times are null before the first one, or if they cannot be known any more. */
export interface SpeedResponse {
  readonly firstPageAt: string | null
  readonly lastPageAt: string | null
  /** In equal periods, oldest first; null if the run has too many pages to read. */
  readonly speed: readonly SpeedPoint[] | null
}

export interface SpeedPoint {
  readonly at: string
  readonly pagesPerSecond: number
}

export interface LogRow {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  /** As the command line prints it. */
  readonly text: string
  /** Why the run waited or repeated something; null for other lines. */
  readonly reason: string | null
}

/** The log lines of a run, oldest first. */
export interface LogsResponse {
  readonly lines: readonly LogRow[]
}

/** What came of the comparison that follows a publication. */
export type RunComparison =
  | { readonly kind: 'none' | 'pending' | 'missing' | 'refused' }
  | { readonly kind: 'published'; readonly set: SetRow }

/** A snapshot, or a change set, that waits for a decision. */
export interface RefusedRow {
  readonly guard: 'snapshot' | 'changes'
  /** Do the same as the page. */
  readonly reviewCommand: string
  readonly acceptCommand: string
}

/** How many documents have a value, and how many of them are missing. */
export interface ShareRow {
  readonly value: string
  readonly before: number
  readonly missing: number
}

/** What publishing what was refused would take away. */
export interface ReviewResponse {
  readonly guard: RefusedRow['guard']
  readonly reason: string
  /** Unique documents before and after. */
  readonly before: number
  readonly after: number
  readonly missing: number
  readonly created: number
  /** By month of `createdIn`, oldest first. */
  readonly months: readonly ShareRow[]
  /** The fields whose values differ most in how many of their documents are missing. */
  readonly fields: readonly { readonly field: string; readonly values: readonly ShareRow[] }[]
  /** Some missing documents, as the platform sent them. */
  readonly sample: readonly string[]
}

export interface StartedResponse {
  readonly runId: string
}

export interface FindingRow {
  readonly level: 'ok' | 'note' | 'problem'
  readonly about: string
  readonly text: string
  readonly fix?: string
}

export interface AlarmRow {
  readonly name: string
  readonly description: string
  readonly since: string
}

export interface HealthResponse {
  readonly findings: readonly FindingRow[]
  /** Alarms that are firing. Null where there are none to read, in local mode, or they cannot be read. */
  readonly alarms: readonly AlarmRow[] | null
  readonly checkedAt: string
}

export interface SnapshotSummary {
  readonly runId: string
  /** The snapshot is as of this time. */
  readonly openedAt: string
  readonly finishedAt: string
  readonly documents: number
  readonly uniqueIds: number
  readonly reportedTotal: number | null
  readonly proof: string
  readonly attempts: number
  readonly pages: number
  readonly bytes: number
}

/** The kept snapshots of an entity, newest first. */
export interface SnapshotsResponse {
  /** The run that `latest.json` names. */
  readonly published: string | null
  readonly snapshots: readonly SnapshotSummary[]
}

/** A value as JSON text, as the platform sent it. */
export interface ValueText {
  /** Only the beginning if it is cut. */
  readonly text: string
  /** Characters of the whole text. */
  readonly length: number
}

export interface FieldRow {
  readonly name: string
  readonly value: ValueText
}

export interface DocumentRow {
  /** JSON text; null without an id. */
  readonly id: ValueText | null
  readonly bytes: number
  readonly fields: readonly FieldRow[]
  /** API path of the same document with whole values. */
  readonly path: string
}

/** Documents of one page of a snapshot. */
export interface DocumentsResponse {
  readonly snapshot: SnapshotSummary
  /** Counts from 1. */
  readonly page: number
  /** Index of the first document in the page. */
  readonly from: number
  readonly pageDocuments: number
  readonly documents: readonly DocumentRow[]
}

/** A field that differs between two versions. Null where it does not exist. */
export interface FieldChange {
  readonly name: string
  readonly before: ValueText | null
  readonly after: ValueText | null
}

export type RecordKind = 'created' | 'updated' | 'deleted' | 'delivered'

export interface RecordRow {
  readonly kind: RecordKind
  readonly id: ValueText | null
  readonly changes: readonly FieldChange[]
  /** Fields that are equal in both versions. */
  readonly unchanged: number
  /** API path of the same record with whole values. */
  readonly path: string
}

export interface RecordsResponse {
  readonly set: SetRow
  readonly counts: Readonly<Record<'unchanged' | 'rewritten' | 'withheld' | 'baseDocuments', number>> | null
  /** What increments had not delivered of it; null of a set that follows none. */
  readonly audit: { readonly missed: number; readonly invisible: number } | null
  /** Null after an increment. */
  readonly stateDocuments: number | null
  readonly from: number
  readonly total: number
  readonly records: readonly RecordRow[]
}

/** Two kept snapshots of an entity compared: what leads from the first to the second. */
export interface ComparisonResponse {
  readonly before: SnapshotSummary
  readonly after: SnapshotSummary
  readonly counts: Readonly<Record<'created' | 'updated' | 'deleted' | 'unchanged', number>>
  readonly from: number
  readonly total: number
  readonly records: readonly RecordRow[]
}

/** One version of a document: in a kept snapshot, or by a record of a change set. */
export interface VersionRow {
  readonly runId: string
  readonly source: 'snapshot' | 'change-set' | 'increment'
  /**
   * `present`: in the oldest kept snapshot, so that nothing is known of what was before. `withheld`: missing from the
   * snapshot, and not yet reported as deleted. `held`: the snapshot has an older version than an increment delivered.
   */
  readonly kind: RecordKind | 'unchanged' | 'absent' | 'present' | 'withheld' | 'held'
  readonly changes: readonly FieldChange[]
}

/** Newest first. */
export interface HistoryResponse {
  readonly id: string
  /** In the newest kept snapshot; null if it is not there. */
  readonly document: DocumentRow | null
  readonly versions: readonly VersionRow[]
}

/** The body of every response with a status of 400 and above. */
export interface ErrorResponse {
  readonly message: string
  readonly fix?: string
}
