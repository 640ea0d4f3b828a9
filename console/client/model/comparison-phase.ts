import type { LogRow, RunResponse } from '../../contract/run.ts'
import { setText } from './entity-summary.ts'
import type { Span } from './phase.ts'
import { comparisonTexts } from './run-facts.ts'

/** The comparison that follows a publication. Its end is known from the log, or from what it refused. */
export function comparisonSpans({ run, comparison }: RunResponse, lines: readonly LogRow[]): Span[] {
  if (comparison.kind === 'none' || run.endedAt === null) return []
  const ended = lines.findLast(({ message }) => message === 'comparison ended')
  const phase = { name: 'Comparison', from: run.endedAt, to: ended?.timestamp ?? null }
  switch (comparison.kind) {
    case 'published':
      return [{ ...phase, state: 'done', detail: setText(comparison.set) }]
    case 'refused':
      return [{ ...phase, to: phase.to ?? comparison.refusedAt, state: 'refused', detail: '' }]
    case 'pending':
      return [{ ...phase, state: ended ? 'done' : 'now', detail: comparisonTexts.pending }]
    case 'missing':
      // How it ended is a warning if it failed, which is among the events of the phase.
      return [
        { ...phase, state: ended?.level === 'WARN' ? 'stopped' : 'done', detail: comparisonTexts.missing },
      ]
  }
}
