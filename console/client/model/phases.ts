import type { Check, LogRow, Phase, RunResponse } from '../../contract/run.ts'
import { setText } from './entity-summary.ts'
import { formatDuration } from './format.ts'
import { comparisonTexts } from './run-facts.ts'
import type { Tone } from './tones.ts'

/** A phase with what made the run wait or repeat something in it, by its log. */
export interface ShownPhase extends Phase {
  readonly events: readonly LogRow[]
}

/** What happened, in order. */
export function phasesOf(response: RunResponse, lines: readonly LogRow[]): ShownPhase[] {
  // The review shows why a set was refused.
  const isRefused = response.comparison.kind === 'refused'
  const eventLines = isRefused ? lines.filter(({ message }) => message !== 'comparison ended') : lines
  const phases = [...response.phases, ...comparisonPhases(response, lines)]
  return phases.map((phase, index) => ({
    ...phase,
    events: eventsBetween(eventLines, index === 0 ? '' : phase.from, phases[index + 1]?.from),
  }))
}

function eventsBetween(lines: readonly LogRow[], from: string, to: string | undefined): LogRow[] {
  return lines.filter(
    ({ reason, timestamp }) => reason !== null && timestamp >= from && (to === undefined || timestamp < to),
  )
}

/** `5 min 2 s · 10 pages` */
export const phaseFacts = ({ durationMs, detail }: Phase): string =>
  [durationMs !== null && formatDuration(durationMs), detail].filter(Boolean).join(' · ')

export const phaseTones: Readonly<Record<Phase['state'], Tone>> = {
  done: 'good',
  now: 'active',
  stopped: 'warning',
  refused: 'problem',
}

export const checkTones: Readonly<Record<Check['state'], Tone>> = {
  passed: 'good',
  refused: 'problem',
  'not reached': 'neutral',
}

/** The comparison that follows a publication. Its end is known from the log, or from what it refused. */
function comparisonPhases({ run, comparison, now }: RunResponse, lines: readonly LogRow[]): Phase[] {
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
