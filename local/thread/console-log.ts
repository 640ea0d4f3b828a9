import { appendFileSync } from 'node:fs'
import { format } from 'node:util'

/** Appends the console output of this thread to a file: on Lambda it is a function's log. */
export function sendConsoleTo(file: string): void {
  const write = (...values: unknown[]) => {
    try {
      appendFileSync(file, `${format(...values)}\n`)
    } catch {
      // The bundle is closed and its folder deleted. An interrupted run may still log.
    }
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = write
}
