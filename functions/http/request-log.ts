import { describeError, log } from '../runtime/log.ts'
import type { MetricArea } from '../runtime/metric-table.ts'
import { type MetricValues, metricFields } from '../runtime/metrics.ts'

/** What is known of one request when it has been answered. Never header values, bodies or query values. */
export interface RequestLog {
  readonly route: string
  /** Absent for what has no metrics. */
  readonly area?: MetricArea | undefined
  readonly status: number
  readonly durationMs: number
  /** API Gateway's id, which the caller has as the answer's `apigw-requestid`. */
  readonly requestId: string
  /** The id of the caller's trace, or else API Gateway's id. */
  readonly correlationId: string
  readonly problem?: string | undefined
  readonly upstreamStatus?: number | undefined
  readonly tries?: number | undefined
  /** Of `durationMs`: what the platform took in all exchanges. */
  readonly upstreamMs?: number | undefined
  /** Of `durationMs`: what the wait for the platform's keys took. */
  readonly secretMs?: number | undefined
  /** The run that was started, read or cancelled. */
  readonly runId?: string | undefined
  /** What made us fail, for whoever mends it. */
  readonly error?: unknown
  /** Beside those that every request has. */
  readonly metrics?: MetricValues | undefined
}

export function logRequest({ error, area, metrics, ...fields }: RequestLog): void {
  const failed = fields.problem === 'internal-error'
  const level = failed ? 'ERROR' : fields.status >= 500 ? 'WARN' : 'INFO'
  const values = { CallMs: fields.durationMs, ...(failed && { InternalErrors: 1 }), ...metrics }
  log(level, 'request', {
    ...fields,
    error: error === undefined ? undefined : describeError(error),
    ...(area && metricFields(values, { Area: area })),
  })
}
