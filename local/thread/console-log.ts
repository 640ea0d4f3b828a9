import { appendFileSync } from 'node:fs'
import { format } from 'node:util'
import { failureOf, writeError } from '../../operator/errors.ts'

/** Appends the console output of this thread to a file: on Lambda it is a function's log. */
export function sendConsoleTo(file: string): void {
  let isReported = false
  const write = (...values: unknown[]) => {
    try {
      appendFileSync(file, `${format(...values)}\n`)
    } catch (error) {
      // The bundle is closed and its folder deleted. An interrupted run may still log.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || isReported) return
      isReported = true
      process.stderr.write(`\n${failureOf(writeError(file, error)).message}\n`)
    }
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = write
}
