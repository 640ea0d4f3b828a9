import type { LogRow, Phase, RunResponse } from '../../contract/run.ts'
import { setText } from './entity-summary.ts'
import { comparisonTexts } from './run-facts.ts'

/** The comparison that follows a publication. Its end is known from the log, or from what it refused. */
export function comparisonPhases({ run, comparison, now }: RunResponse, lines: readonly LogRow[]): Phase[] {
  if (comparison.kind === 'none' || run.kind !== 'full' || run.endedAt === null) return []
  const ends = lines.filter(({ message }) => message === 'comparison ended')
  const [first, last] = [ends[0], ends.at(-1)]
  const phase = { name: 'Comparison', from: run.endedAt, detail: '', checks: [] }
  const until = (time: string | undefined, from = phase.from) =>
    time === undefined ? null : Math.max(0, Date.parse(time) - Date.parse(from))
  const durationMs = until(last?.timestamp)
  switch (comparison.kind) {
    case 'published': {
      const done = { ...phase, state: 'done', detail: setText(comparison.set) } as const
      if (!first || !last || first === last || first.level !== 'WARN') return [{ ...done, durationMs }]
      // Its guard had refused it until a person accepted it.
      const from = first.timestamp
      const decision = {
        ...done,
        name: 'Waiting for a decision',
        detail: [...(last.by === null ? [] : [`accepted by ${last.by}`]), done.detail].join(', '),
        from,
        durationMs: until(last.timestamp, from),
      }
      return [{ ...phase, state: 'refused', durationMs: until(from) }, decision]
    }
    case 'refused':
      return [{ ...phase, state: 'refused', durationMs: durationMs ?? until(comparison.refusedAt) }]
    case 'pending': {
      const state = last ? 'done' : 'now'
      return [{ ...phase, state, durationMs: durationMs ?? until(now), detail: comparisonTexts.pending }]
    }
    case 'missing':
      // How it ended is a warning if it failed, which is among the events of the phase.
      return [
        {
          ...phase,
          state: last?.level === 'WARN' ? 'stopped' : 'done',
          durationMs,
          detail: comparisonTexts.missing,
        },
      ]
  }
}
