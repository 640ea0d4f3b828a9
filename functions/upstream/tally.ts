import type { MetricName } from '../metric-table.ts'
import { type MetricValues, mostValues } from '../metrics.ts'
import type { Upstream } from './client.ts'
import { CredentialsError } from './failures.ts'

/** What was spent and met while requests were sent, for the log line and the metrics of whoever sends them. */
export interface UpstreamTally {
  /** Waited for the keys. */
  secretMs: number
  /** One value for each exchange. */
  readonly exchangesMs: number[]
  /** For each exchange: 1 if it came to 5xx or to no whole answer, or else 0. */
  readonly faults: number[]
  readonly counts: Partial<Record<MetricName, number>>
}

export function newTally(): UpstreamTally {
  return { secretMs: 0, exchangesMs: [], faults: [], counts: {} }
}

export function count({ counts }: UpstreamTally, name: MetricName): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Counts an exchange by its status, or as a failure if there is none. */
export function countExchange(tally: UpstreamTally, startedAt: number, status?: number): void {
  tally.exchangesMs.push(Date.now() - startedAt)
  tally.faults.push(status === undefined || status >= 500 ? 1 : 0)
  count(tally, status === undefined ? 'UpstreamFailures' : metricOfStatus(status))
}

/** Counts keys that cannot be used. */
export function countCredentials(tally: UpstreamTally, error: unknown): void {
  if (!(error instanceof CredentialsError)) return
  count(tally, error.kind === 'not-set' ? 'CredentialsNotSet' : 'CredentialsUnreadable')
}

/** Sends all requests on one tally. */
export function tallied<U extends Upstream>(upstream: U, tally: UpstreamTally): U {
  return { ...upstream, send: (request) => upstream.send({ ...request, tally }) }
}

/** As metrics: all in the first, and more of them if there were more exchanges than one line can hold. */
export function tallyMetrics({
  exchangesMs,
  faults,
  counts,
}: UpstreamTally): [MetricValues, ...MetricValues[]] {
  const [first, ...more] = Array.from({ length: Math.ceil(exchangesMs.length / mostValues) }, (_, index) => ({
    UpstreamMs: exchangesMs.slice(index * mostValues, (index + 1) * mostValues),
    UpstreamFault: faults.slice(index * mostValues, (index + 1) * mostValues),
  }))
  return [{ ...first, ...counts }, ...more]
}

function metricOfStatus(status: number): MetricName {
  if (status === 429) return 'Upstream429'
  if (status >= 500) return 'Upstream5xx'
  if (status >= 400) return 'Upstream4xx'
  return status >= 300 ? 'Upstream3xx' : 'Upstream2xx'
}
