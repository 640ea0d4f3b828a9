/**
 * The metrics that our code emits. Alarms, dashboard and docs/operate.md take their names from here, so what is
 * watched is what is emitted. Dimensions are few on purpose: each value of one is a metric that is paid for, so an
 * area, a configured entity, never what a caller sends.
 */
export const metricTable = {
  CallMs: perArea(
    'Milliseconds',
    'Time in which a caller was answered; its sample count is the number of calls',
  ),
  InternalErrors: perArea('Count', 'Calls that failed by a fault of ours (500)'),
  UpstreamMs: perArea(
    'Milliseconds',
    'Time of one exchange with the platform; its sample count is the number of exchanges',
  ),
  Upstream2xx: perArea('Count', 'Answers of the platform'),
  Upstream3xx: perArea('Count', 'Answers of the platform'),
  Upstream4xx: perArea('Count', 'Answers of the platform, 429 apart'),
  Upstream429: perArea('Count', 'The platform throttled us'),
  Upstream5xx: perArea('Count', 'Answers of the platform'),
  UpstreamFailures: perArea('Count', 'Exchanges without a whole answer: unreachable, too slow, cut off'),
  CredentialsRejected: perArea('Count', 'The platform rejected the newest keys that there are (401, 403)'),
  CredentialsNotSet: perArea('Count', 'The secret still holds its placeholder'),
  CredentialsUnreadable: perArea('Count', 'The secret could not be read, or has not the right form'),
  RunsPublished: perEntity('Count', 'Runs that published a snapshot'),
  RunsRefused: perEntity('Count', 'Runs whose snapshot a guard refused'),
  RunsFailed: perEntity('Count', 'Runs that failed'),
  RunSeconds: perEntity('Seconds', 'Time from the start of a run to its end'),
  SnapshotAgeSeconds: perEntity(
    'Seconds',
    'Time since the last publication, or since the entity has its schedule if that is later',
  ),
  SnapshotDocuments: perEntity('Count', 'Documents of the published snapshot'),
} as const

export type MetricName = keyof typeof metricTable
export type Dimension = 'Area' | 'Entity'

/** Which part of the front door or of the platform: the platform's areas, and our own `/syncs` and its worker. */
export type MetricArea = 'logistics' | 'subscriptions' | 'documents' | 'syncs'

interface Metric {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds'
  /** Sets of dimensions; the empty set is the sum over all. */
  readonly dimensions: readonly (readonly Dimension[])[]
  readonly meaning: string
}

function perArea(unit: Metric['unit'], meaning: string): Metric {
  return { unit, meaning, dimensions: [[], ['Area']] }
}

function perEntity(unit: Metric['unit'], meaning: string): Metric {
  return { unit, meaning, dimensions: [[], ['Entity']] }
}
