import type { LogRow, RunResponse, SpeedResponse } from '../../contract/run.ts'
import type { RunRow, RunStatus } from '../../contract/run-rows.ts'
import { setText } from './entity.ts'
import { formatDuration, plural } from './format.ts'
import type { PlotData } from './plot.ts'
import { comparisonTexts } from './run.ts'
import type { Tone } from './tones.ts'

/** A part of a run. */
export interface Phase {
  readonly name: string
  readonly state: 'done' | 'now' | 'stopped'
  /** `5 min 2 s`; empty if it is not known. */
  readonly duration: string
  readonly detail: string
  /** What made the run wait or repeat something. */
  readonly events: readonly LogRow[]
}

interface Span {
  readonly name: string
  readonly from: string
  /** Null if the phase has not ended. */
  readonly to: string | null
  readonly detail: string
}

export interface PhaseSources {
  readonly response: RunResponse
  /** Undefined until they are read. */
  readonly speed: SpeedResponse | undefined
  readonly lines: readonly LogRow[]
}

const comparisonName = 'Comparison'

/** What happened, in order: each phase with its duration, and the faults and waits that it had. */
export function phasesOf(sources: PhaseSources): Phase[] {
  const { run, now } = sources.response
  const spans = spansOf(sources)
  return spans.map(({ name, from, to, detail }, index) => {
    const isGoingOn = run.endedAt === null || name === comparisonName
    const end = to ?? (isGoingOn ? now : run.endedAt)
    return {
      name,
      state: to !== null ? 'done' : isGoingOn ? 'now' : 'stopped',
      duration: formatDuration(Date.parse(end ?? now) - Date.parse(from)),
      detail,
      events: eventsBetween(sources.lines, index === 0 ? '' : from, spans[index + 1]?.from),
    }
  })
}

function eventsBetween(lines: readonly LogRow[], from: string, to: string | undefined): LogRow[] {
  return lines.filter(
    ({ reason, timestamp }) => reason !== null && timestamp >= from && (to === undefined || timestamp < to),
  )
}

const scrolledStatuses: readonly RunStatus[] = ['publishing', 'published', 'refused']

function spansOf({ response, speed, lines }: PhaseSources): Span[] {
  const { run } = response
  const { startedAt, endedAt } = run
  const isScrolled = scrolledStatuses.includes(run.status)
  const [first, last] = [speed?.firstPageAt ?? null, speed?.lastPageAt ?? null]
  const compared = comparisonSpan(response, lines)
  if (first === null || last === null) {
    // The times of the pages are not known, or there are none.
    const scroll: Span =
      run.pages > 0
        ? {
            name: 'Scroll',
            from: startedAt,
            to: isScrolled ? endedAt : null,
            detail: plural(run.pages, 'page'),
          }
        : { name: 'Slot and first page', from: startedAt, to: isScrolled ? endedAt : null, detail: '' }
    return [scroll, ...compared]
  }
  const spans: Span[] = [
    { name: 'Slot and first page', from: startedAt, to: first, detail: '' },
    {
      name: 'Scroll',
      from: first,
      to: isScrolled ? last : null,
      detail: scrollDetail(run.pages, first, last),
    },
  ]
  if (isScrolled) {
    spans.push({
      name: 'Proof, guards and publication',
      from: last,
      to: run.refusedAt ?? endedAt,
      detail: endDetail(run),
    })
  }
  return [...spans, ...compared]
}

function scrollDetail(pages: number, first: string, last: string): string {
  const ms = Date.parse(last) - Date.parse(first)
  const rate = ms > 0 ? `, ${Math.round((pages * 10_000) / ms) / 10} pages/s` : ''
  return `${plural(pages, 'page')}${rate}`
}

function endDetail({ status, proof, uniqueIds, reason }: RunRow): string {
  if (status === 'published') return `proof ${proof}, ${plural(uniqueIds ?? 0, 'unique id')}`
  return status === 'refused' ? `a guard refused: ${reason}` : ''
}

function comparisonSpan({ run, comparison }: RunResponse, lines: readonly LogRow[]): Span[] {
  if (comparison.kind === 'none' || run.endedAt === null) return []
  const ended = lines.findLast(({ message }) => message === 'comparison ended')
  const end = ended?.timestamp ?? (comparison.kind === 'pending' ? null : run.endedAt)
  const detail = comparison.kind === 'published' ? setText(comparison.set) : comparisonTexts[comparison.kind]
  return [{ name: comparisonName, from: run.endedAt, to: end, detail }]
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

export const phaseTones: Readonly<Record<Phase['state'], Tone>> = {
  done: 'good',
  now: 'active',
  stopped: 'warning',
}
