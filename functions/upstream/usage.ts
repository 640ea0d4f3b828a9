import type { MetricName } from '../runtime/metric-table.ts'
import { type MetricValues, maxValues } from '../runtime/metrics.ts'
import { CredentialsError } from './errors.ts'

/** What requests to the platform took and how they ended, for the sender's log line and metrics. */
export interface UpstreamUsage {
  /** Time spent waiting for the credentials. */
  secretMs: number
  /** One value for each exchange. */
  readonly exchangesMs: number[]
  /** For each exchange: 1 for 5xx or no complete response, else 0. */
  readonly faults: number[]
  readonly counts: Partial<Record<MetricName, number>>
}

export function newUsage(): UpstreamUsage {
  return { secretMs: 0, exchangesMs: [], faults: [], counts: {} }
}

export function countUsage({ counts }: UpstreamUsage, name: MetricName): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Counts an exchange by its status, or as a failure without one. */
export function countExchange(usage: UpstreamUsage, startedAt: number, status?: number): void {
  usage.exchangesMs.push(Date.now() - startedAt)
  usage.faults.push(status === undefined || status >= 500 ? 1 : 0)
  countUsage(usage, status === undefined ? 'UpstreamFailures' : metricOfStatus(status))
}

/** Counts credentials that cannot be used. */
export function countCredentials(usage: UpstreamUsage, error: unknown): void {
  if (!(error instanceof CredentialsError)) return
  countUsage(usage, error.kind === 'not-set' ? 'CredentialsNotSet' : 'CredentialsUnreadable')
}

/** The usage as metrics of one log line, and of more lines if the values of all exchanges do not fit into one. */
export function usageMetrics({
  exchangesMs,
  faults,
  counts,
}: UpstreamUsage): [MetricValues, ...MetricValues[]] {
  const [first, ...more] = Array.from({ length: Math.ceil(exchangesMs.length / maxValues) }, (_, index) => ({
    UpstreamMs: exchangesMs.slice(index * maxValues, (index + 1) * maxValues),
    UpstreamFault: faults.slice(index * maxValues, (index + 1) * maxValues),
  }))
  return [{ ...first, ...counts }, ...more]
}

function metricOfStatus(status: number): MetricName {
  if (status === 429) return 'Upstream429'
  if (status >= 500) return 'Upstream5xx'
  if (status >= 400) return 'Upstream4xx'
  return status >= 300 ? 'Upstream3xx' : 'Upstream2xx'
}
