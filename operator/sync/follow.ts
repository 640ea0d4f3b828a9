import type { Waiting } from '../waiting.ts'
import { type LogLine, linesOfRun } from './line.ts'
import type { ReadEvents, RunPeriod } from './run-logs.ts'

/** CloudWatch Logs may show a line after later ones, such as those of another function. */
const maxDelayMs = 60_000

/** Between two requests. */
const intervalMs = 2_000

/** The lines of a run as they are logged, each once. Ends when the signal is aborted. */
export async function* followLines(
  { runId, from }: Omit<RunPeriod, 'to'>,
  { read, now, pause, signal }: Waiting & { read: ReadEvents; now: () => number },
): AsyncGenerator<LogLine> {
  const seen = new Set<string>()
  let since = from
  while (!signal.aborted) {
    const events = await read({ runId, from: since, to: now() }, signal).catch((error: unknown) => {
      if (signal.aborted) return []
      throw error
    })
    const unseen = events.filter(({ id }) => !seen.has(id))
    for (const { id } of unseen) seen.add(id)
    const lines = linesOfRun(runId, unseen)
    yield* lines
    const last = lines.at(-1)
    if (last) since = Math.max(since, Date.parse(last.timestamp) - maxDelayMs)
    await pause(intervalMs, signal)
  }
}
