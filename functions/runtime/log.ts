export type LogLevel = 'INFO' | 'WARN' | 'ERROR'
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** Writes one JSON line, which Lambda filters by its `level`. Never pass a secret. */
export const log: Log = (level, message, fields = {}) => {
  const line = JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })
  // With Lambda's JSON log format, console.log wraps the line as text in another JSON line, so that neither queries nor
  // metrics would find its fields (awslabs/aws-embedded-metrics-node, pull request 158).
  if (process.env['AWS_LAMBDA_LOG_FORMAT'] === 'JSON') process.stdout.write(`${line}\n`)
  else console.log(line)
}

/** An error with up to five levels of causes. */
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
