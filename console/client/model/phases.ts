import type { LogRow, SpeedResponse } from '../../contract/run.ts'
import { comparisonSpans } from './comparison-phase.ts'
import { endSpans } from './end-phases.ts'
import { formatDuration } from './format.ts'
import type { Check, PhaseSources, PhaseState, Span } from './phase.ts'
import type { PlotData } from './plot-data.ts'
import { scrollSpans } from './scroll-phases.ts'
import type { Tone } from './tones.ts'

/** A part of a run. */
export interface Phase {
  readonly name: string
  readonly state: PhaseState
  /** `5 min 2 s`; empty if it is not known, or for a step that takes no time. */
  readonly duration: string
  readonly detail: string
  /** What the guards decided. */
  readonly checks: readonly Check[]
  /** What made the run wait or repeat something. */
  readonly events: readonly LogRow[]
}

/** What happened, in order: each phase with its duration, and the faults and waits that it had. */
export function phasesOf(sources: PhaseSources): Phase[] {
  const { response, lines } = sources
  // The review shows why a set was refused.
  const isRefused = response.comparison.kind === 'refused'
  const eventLines = isRefused ? lines.filter(({ message }) => message !== 'comparison ended') : lines
  const spans: Span[] = [...scrollSpans(sources), ...endSpans(sources), ...comparisonSpans(response, lines)]
  return spans.map(({ name, state, from, to, detail, checks = [] }, index) => {
    const end = state === 'now' ? response.now : to
    return {
      name,
      state,
      duration: end === null ? '' : formatDuration(Math.max(0, Date.parse(end) - Date.parse(from))),
      detail,
      checks,
      events: eventsBetween(eventLines, index === 0 ? '' : from, spans[index + 1]?.from),
    }
  })
}

function eventsBetween(lines: readonly LogRow[], from: string, to: string | undefined): LogRow[] {
  return lines.filter(
    ({ reason, timestamp }) => reason !== null && timestamp >= from && (to === undefined || timestamp < to),
  )
}

/** Pages per second over time; undefined if there is nothing to show. */
export function speedPlot(speed: SpeedResponse | undefined): PlotData | undefined {
  const points = speed?.speed ?? []
  if (points.length < 2) return undefined
  return {
    title: 'Pages per second',
    shape: 'lines',
    unit: 'rate',
    axis: 'from-zero',
    times: points.map(({ at }) => Date.parse(at) / 1000),
    series: [
      { label: 'Pages', color: '--accent', values: points.map(({ pagesPerSecond }) => pagesPerSecond) },
    ],
    marks: [],
    reference: undefined,
  }
}

export const phaseTones: Readonly<Record<PhaseState, Tone>> = {
  done: 'good',
  now: 'active',
  stopped: 'warning',
  refused: 'problem',
}
