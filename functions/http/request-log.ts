import { describeError, log } from '../runtime/log.ts'
import { type MetricValues, metricFields } from '../runtime/metrics.ts'

/** The log line of one request. Never contains header values, bodies or query values. */
export interface RequestLog {
  readonly route: string
  readonly status: number
  readonly durationMs: number
  /** API Gateway's request id, which the caller receives as `apigw-requestid`. */
  readonly requestId: string
  /** The caller's trace id, or else the request id. */
  readonly correlationId: string
  readonly problem?: string | undefined
  readonly upstreamStatus?: number | undefined
  /** Who responded instead of the platform, and what to do about it. */
  readonly intermediary?: string | undefined
  readonly tries?: number | undefined
  /** The part of `durationMs` that all exchanges with the platform took. */
  readonly upstreamMs?: number | undefined
  /** The part of `durationMs` that was spent waiting for the credentials. */
  readonly secretMs?: number | undefined
  /** The run that was started, read or cancelled. */
  readonly runId?: string | undefined
  /** The error behind a failed request. */
  readonly error?: unknown
  /** In addition to that of an internal error. */
  readonly metrics?: MetricValues | undefined
}

export function logRequest({ error, metrics, ...fields }: RequestLog): void {
  const failed = fields.problem === 'internal-error'
  const level = failed ? 'ERROR' : fields.status >= 500 || fields.intermediary !== undefined ? 'WARN' : 'INFO'
  log(level, 'request', {
    ...fields,
    error: error === undefined ? undefined : describeError(error),
    ...metricFields({ ...(failed && { InternalErrors: 1 }), ...metrics }),
  })
}
