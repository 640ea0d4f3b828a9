import type { LogRow, RunResponse } from '../../contract/run.ts'
import type { RunRow } from '../../contract/run-rows.ts'
import { plural } from './format.ts'
import type { PhaseSources, Span } from './phase.ts'
import { endOf, isProven, lastPhase } from './run-end.ts'

/** What a run did until it had scrolled everything. */
export function scrollSpans({ response, speed, lines }: PhaseSources): Span[] {
  const { run, milestones } = response
  const { provenAt, republishedFrom } = milestones
  const provenEnd = isProven(run) ? (provenAt ?? endOf(run)) : null
  if (republishedFrom !== null)
    return [
      span(run, { name: 'Copy', from: run.startedAt, to: provenEnd, detail: `of run ${republishedFrom}` }),
    ]
  const before = spansBeforeScroll(response, lines, speed?.firstPageAt ?? null)
  const last = before.at(-1)
  if (last && last.state !== 'done') return before
  const from = last?.to ?? run.startedAt
  const [first, lastPage] = [speed?.firstPageAt ?? null, speed?.lastPageAt ?? null]
  if (first === null || lastPage === null) {
    // The times of the pages are not known, or there are none.
    const what =
      run.pages > 0
        ? { name: 'Scroll', detail: plural(run.pages, 'page') }
        : { name: 'First page', detail: '' }
    return [...before, span(run, { ...what, from, to: provenEnd })]
  }
  const to = isProven(run) || speed?.hasScrolled ? lastPage : null
  const detail = scrollDetail(run.pages, first, lastPage)
  return [
    ...before,
    span(run, { name: 'First page', from, to: first, detail: '' }),
    span(run, { name: 'Scroll', from: first, to, detail }),
  ]
}

const span = (run: RunRow, { to, ...known }: Pick<Span, 'name' | 'from' | 'to' | 'detail'>): Span =>
  to === null ? lastPhase(run, known) : { ...known, to, state: 'done' }

/** Waiting for a slot, then what came before the current attempt. */
function spansBeforeScroll(
  { run, milestones, now }: RunResponse,
  lines: readonly LogRow[],
  firstPageAt: string | null,
): Span[] {
  const { startedAt } = run
  const limit = firstPageAt ?? endOf(run) ?? now
  const waitedUntil = endOfSlotWaits(startedAt, lines)
  const isWaiting = waitedUntil >= limit && firstPageAt === null
  const slotEnd = isWaiting ? null : earliest(waitedUntil, limit)
  const spans =
    waitedUntil > startedAt
      ? [span(run, { name: 'Waiting for a slot', from: startedAt, to: slotEnd, detail: '' })]
      : []
  const from = slotEnd ?? startedAt
  const attemptAt = milestones.attemptStartedAt
  const earlier = earlierName(run)
  if (isWaiting || earlier === undefined || attemptAt === null || attemptAt <= from) return spans
  const { name, detail } = earlier
  return [...spans, span(run, { name, from, to: earliest(attemptAt, limit), detail })]
}

const earliest = (one: string, other: string) => (one < other ? one : other)

/** Between two steps of a run that waits. */
const maxStepMs = 60_000

/** The time until which the run has waited since its start, by its log. */
function endOfSlotWaits(startedAt: string, lines: readonly LogRow[]): string {
  let until = Date.parse(startedAt)
  for (const { message, timestamp, waitSeconds } of lines) {
    const at = Date.parse(timestamp)
    if (message === 'slot waiting' && at <= until + maxStepMs) until = at + (waitSeconds ?? 0) * 1000
  }
  return new Date(until).toISOString()
}

/** What came before the current attempt; undefined for the first attempt of one scroll. */
function earlierName({ partitions, partitionsReason, attempt }: RunRow) {
  if (partitions !== null) return { name: 'Planning ranges', detail: plural(partitions.length, 'range') }
  if (attempt > 1) return { name: 'Earlier attempts', detail: plural(attempt - 1, 'attempt') }
  return partitionsReason === null ? undefined : { name: 'Ranges (abandoned)', detail: partitionsReason }
}

function scrollDetail(pages: number, first: string, last: string): string {
  const ms = Date.parse(last) - Date.parse(first)
  const rate = ms > 0 ? `, ${Math.round((pages * 10_000) / ms) / 10} pages/s` : ''
  return `${plural(pages, 'page')}${rate}`
}
