export type LogLevel = 'INFO' | 'WARN' | 'ERROR'
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** One JSON line, which Lambda takes as it is and filters by its `level`. Never give it a secret. */
export const log: Log = (level, message, fields = {}) => {
  const line = JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })
  // With Lambda's JSON format the runtime's console wraps a line, as text, into one of its own: no query would find
  // its fields and no metric would be made of it (awslabs/aws-embedded-metrics-node, pull request 158).
  if (process.env['AWS_LAMBDA_LOG_FORMAT'] === 'JSON') process.stdout.write(`${line}\n`)
  else console.log(line)
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
