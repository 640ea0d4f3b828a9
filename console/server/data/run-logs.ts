import { lazy } from '../../../functions/runtime/lazy.ts'
import { type LogLine, linesOfRun, textAfterTime } from '../../../operator/sync/line.ts'
import { logPeriod, type ReadEvents } from '../../../operator/sync/run-logs.ts'
import type { LogRow, LogsResponse, RunRow } from '../../contract/run.ts'

/** The newest lines of a run. Its log has all of them. */
const maxLines = 500
const maxReadMs = 30_000

/** Reads the log lines of runs. The log is opened when it is first needed. */
export function createRunLogs(open: () => Promise<ReadEvents>, now: () => number) {
  const opened = lazy(open)

  return async (run: RunRow): Promise<LogsResponse> => {
    const read = await opened()
    const events = await read(logPeriod(run, now()), AbortSignal.timeout(maxReadMs))
    return { lines: linesOfRun(run.runId, events).flatMap(rowOf).slice(-maxLines) }
  }
}

function rowOf(line: LogLine): LogRow[] {
  const { timestamp, level, message, by } = line
  const text = textAfterTime(line)
  if (text === undefined) return []
  return [{ timestamp, level, message, text, reason: reasonOf(line), by: typeof by === 'string' ? by : null }]
}

/** A run that waits for a slot is no reason to warn. */
const slotWaiting = 'slot waiting'

/** Why the run waited or repeated something. How it ended has a place of its own. */
function reasonOf({ level, message, reason, detail, waitSeconds }: LogLine): string | null {
  if ((level !== 'WARN' && message !== slotWaiting) || message === 'run ended') return null
  const why = [message, ...[reason, detail].filter((text) => typeof text === 'string' && text !== '')].join(
    ': ',
  )
  return typeof waitSeconds === 'number' ? `${why} (waits ${waitSeconds} s)` : why
}
