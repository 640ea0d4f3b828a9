import { describeError, log } from '../log.ts'

/** What is known of one request when it has been answered. Never header values, bodies or query values. */
export interface RequestLog {
  readonly route: string
  readonly status: number
  readonly durationMs: number
  /** API Gateway's id, which the caller has as the answer's `apigw-requestid`. */
  readonly requestId: string
  readonly problem?: string | undefined
  readonly upstreamStatus?: number | undefined
  readonly tries?: number | undefined
  /** What made us fail, for whoever mends it. */
  readonly error?: unknown
}

export function logRequest({ error, ...fields }: RequestLog): void {
  const level = fields.problem === 'internal-error' ? 'ERROR' : fields.status >= 500 ? 'WARN' : 'INFO'
  log(level, 'request', { ...fields, error: error === undefined ? undefined : describeError(error) })
}
