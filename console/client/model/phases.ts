import type { Check, LogRow, Phase, RunResponse } from '../../contract/run.ts'
import { comparisonPhases } from './comparison-phase.ts'
import { formatDuration } from './format.ts'
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
