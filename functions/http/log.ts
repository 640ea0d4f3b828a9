export type LogLevel = 'INFO' | 'WARN' | 'ERROR'

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

/** Lambda takes a line that is JSON already as it is, and filters by its `level`. */
export function log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields }))
}

/** An error with its causes, as far as five deep. */
export function describeError(error: unknown, depth = 5): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    name: error.name,
    message: error.message,
    code: 'code' in error ? error.code : undefined,
    stack: error.stack,
    cause: error.cause === undefined || depth === 1 ? undefined : describeError(error.cause, depth - 1),
  }
}
