type DimensionSets = readonly (readonly ('Area' | 'Entity')[])[]

/** The empty dimension set is the sum over all. */
const inAll: DimensionSets = [[]]
const byArea: DimensionSets = [[], ['Area']]
const byEntity: DimensionSets = [['Entity']]

interface Metric {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds'
  readonly dimensions: DimensionSets
  readonly meaning: string
}

const metric = (unit: Metric['unit'], dimensions: DimensionSets, meaning: string): Metric => ({
  unit,
  dimensions,
  meaning,
})
const count = (meaning: string) => metric('Count', inAll, meaning)

/**
 * The metrics that our code emits. Alarms, dashboard and docs/logs-and-metrics.md use these names. CloudWatch charges for every
 * value of a dimension, so that dimensions are areas and configured entities only, never a caller's input.
 */
export const metricTable = {
  CallMs: metric(
    'Milliseconds',
    byArea,
    'Time to respond to a request; the sample count is the number of requests',
  ),
  InternalErrors: metric('Count', byArea, 'Requests that failed with an internal error (500)'),
  UpstreamMs: metric(
    'Milliseconds',
    byArea,
    'Time of one exchange with the platform; the sample count is the number of exchanges',
  ),
  UpstreamFault: count(
    '1 for an exchange with 5xx or no response, 0 for others; the average is the error rate',
  ),
  Upstream2xx: count('Responses of the platform with 2xx'),
  Upstream3xx: count('Responses of the platform with 3xx'),
  Upstream4xx: count('Responses of the platform with 4xx, except 429'),
  Upstream429: count('Responses of the platform with 429 (throttled)'),
  Upstream5xx: count('Responses of the platform with 5xx'),
  UpstreamFailures: count('Exchanges without a complete response: unreachable, timed out or interrupted'),
  CredentialsRejected: count(
    'Requests whose credentials the platform rejected (401, 403 without an HTML page or a limit), even after the secret was read again',
  ),
  CredentialsNotSet: count('Reads of a secret that still contained the placeholder'),
  CredentialsUnreadable: count('Reads of a secret that failed, or whose value was malformed'),
  RunsPublished: count('Runs that published a snapshot'),
  RunsRefused: count('Runs whose snapshot was refused by a guard'),
  RunsFailed: count('Runs that failed, those that are repeated too'),
  ChangeSetsPublished: count('Change sets that were published'),
  ChangeSetsRefused: count('Change sets that were refused because of their deletes'),
  ChangeSetsFailed: count('Comparisons that failed'),
  IncrementsPublished: count('Increments that succeeded, with or without records'),
  IncrementsFailed: count('Increments that failed: the next one covers the same window'),
  IncrementRecords: metric('Count', byEntity, 'Records that an increment published'),
  MissedByIncrements: metric(
    'Count',
    byEntity,
    'Changes that a full sync found in a window that increments had covered: lookbackMinutes is too short',
  ),
  InvisibleToIncrements: metric(
    'Count',
    byEntity,
    'Changes that a full sync found and that no increment can see: the platform did not update updatedIn',
  ),
  StaleIncrements: count('Entities whose last window is older than their schedule allows'),
  TablesPublished: count('Tables that were committed'),
  TablesFailed: count('Tables that could not be built'),
  GlueFailures: count('Tables that could not be updated in the Glue catalog'),
  TablesNotInGlue: count('Tables that the next publication could not update in the Glue catalog either'),
  RunSeconds: metric('Seconds', byEntity, 'Duration of a run'),
  StaleSnapshots: count('Entities whose snapshot is older than their schedule allows'),
  ErasureWaiting: count(
    'Entities that have published nothing for `eraseWithinDays` days. Their published snapshot is kept, because it is never erased',
  ),
  ErasureIncomplete: count(
    'Entities that have had no complete pass of erasure for two days. Only with `eraseWithinDays`',
  ),
  Erasures: count('Daily tasks that erased snapshots and change sets, and came to their end'),
  TableErasures: count('Daily tasks that erased files of tables, and came to their end'),
  AlertFailures: count(
    'Receivers of alerts to which a message could not be delivered, in each look until it is',
  ),
  SnapshotDocuments: metric('Count', byEntity, 'Documents of a snapshot, when it is published'),
} as const

export type MetricName = keyof typeof metricTable
export type Dimension = 'Area' | 'Entity'

/** The platform's areas, and `syncs` for our own API and the worker. */
export type MetricArea = 'logistics' | 'subscriptions' | 'documents' | 'syncs'
