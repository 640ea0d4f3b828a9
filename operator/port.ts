import { UsageError } from './errors.ts'

const maxPort = 65_535

/** Reads the value of `--port`; 0 is any free port. Throws `UsageError`. */
export function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= maxPort) return port
  throw new UsageError(`--port: '${text}' is not a number from 0 to ${maxPort}.`)
}

/** Whether a server cannot listen because another one uses the port. */
export const isPortTaken = (error: unknown) => codeOf(error) === 'EADDRINUSE'

/** Explains why a server cannot listen at the value of `--port`. Returns every other error as it is. */
export function explainPort(port: number, cause: unknown): unknown {
  if (isPortTaken(cause))
    return new UsageError(`--port: ${port} is in use. Choose another port, or 0 for any free one.`, { cause })
  if (codeOf(cause) === 'EACCES')
    return new UsageError(`--port: ${port} needs more privileges. Choose a port above 1023.`, { cause })
  return cause
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
