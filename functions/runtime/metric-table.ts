type DimensionSets = readonly (readonly ('Area' | 'Entity')[])[]

/** The empty set is the sum over all. */
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

/**
 * The metrics that our code emits. Alarms, dashboard and docs/operate.md take their names from here, so what is
 * watched is what is emitted. Each value of a dimension makes a metric that is paid for, so there are few: an area, a
 * configured entity, never what a caller sends.
 */
export const metricTable = {
  CallMs: metric(
    'Milliseconds',
    byArea,
    'Time in which a caller was answered; the sample count is the calls',
  ),
  InternalErrors: metric('Count', byArea, 'Calls that failed by a fault of ours (500)'),
  UpstreamMs: metric(
    'Milliseconds',
    byArea,
    'Time of one exchange with the platform; the sample count is the exchanges',
  ),
  UpstreamFault: metric(
    'Count',
    inAll,
    '1 for an exchange that came to 5xx or no answer, 0 for others: the average is their share',
  ),
  Upstream2xx: metric('Count', inAll, 'Answers of the platform'),
  Upstream3xx: metric('Count', inAll, 'Answers of the platform'),
  Upstream4xx: metric('Count', inAll, 'Answers of the platform, without 429'),
  Upstream429: metric('Count', inAll, 'Answers of the platform that throttle us'),
  Upstream5xx: metric('Count', inAll, 'Answers of the platform'),
  UpstreamFailures: metric(
    'Count',
    inAll,
    'Exchanges without a whole answer: unreachable, too slow, cut off',
  ),
  CredentialsRejected: metric(
    'Count',
    inAll,
    'The platform rejected the newest keys that there are (401, 403)',
  ),
  CredentialsNotSet: metric('Count', inAll, 'The secret still held its placeholder'),
  CredentialsUnreadable: metric('Count', inAll, 'The secret could not be read, or had not the right form'),
  RunsPublished: metric('Count', inAll, 'Runs that published a snapshot'),
  RunsRefused: metric('Count', inAll, 'Runs whose snapshot a guard refused'),
  RunsFailed: metric('Count', inAll, 'Runs that failed'),
  RunSeconds: metric('Seconds', byEntity, 'Time from the start of a run to its end'),
  SnapshotAgeSeconds: metric(
    'Seconds',
    byEntity,
    'Time since the last publication, or since the entity has its schedule if that is later',
  ),
  SnapshotDocuments: metric('Count', byEntity, 'Documents of the published snapshot'),
} as const

export type MetricName = keyof typeof metricTable
export type Dimension = 'Area' | 'Entity'

/** Which part of the front door or of the platform: the platform's areas, and our own `/syncs` with its worker. */
export type MetricArea = 'logistics' | 'subscriptions' | 'documents' | 'syncs'
