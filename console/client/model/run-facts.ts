import type { RangeRow, RunComparison, RunRow, RunsResponse } from '../../contract/run.ts'
import { formatCount, formatDuration, formatTime, plural } from './format.ts'

/** Until the end, or until now while the run is in progress. */
export function durationMs(
  {
    startedAt,
    endedAt,
    refusedAt,
  }: Pick<RunRow, 'startedAt' | 'endedAt'> & Pick<Partial<RunRow>, 'refusedAt'>,
  now: string,
): number {
  return Math.max(0, Date.parse(refusedAt ?? endedAt ?? now) - Date.parse(startedAt))
}

/** Whether a run has sent no request that shows: it waits for a slot, or has just begun. */
export const hasNotBegun = ({ status, attempt, pages, faults, republishedFrom }: RunRow) =>
  status === 'running' &&
  attempt === 1 &&
  pages === 0 &&
  republishedFrom === null &&
  Object.keys(faults).length === 0

export const isInProgress = ({ endedAt }: Pick<RunRow, 'endedAt'>) => endedAt === null

/** Documents, speed, time left, attempt, and whether the configured partitions are missing. */
export function progressFacts(run: RunRow): string[] {
  const { documents, total, status, attempt, secondsLeft, partitionsReason } = run
  const speed = pagesPerSecond(run)
  const facts = [
    total === null
      ? plural(documents, 'document')
      : `${formatCount(documents)} of ${plural(total, 'document')}`,
    Boolean(speed) && `${speed} pages/s`,
    Boolean(secondsLeft) && status === 'running' && `${formatDuration((secondsLeft ?? 0) * 1000)} left`,
    attempt > 1 && `attempt ${attempt}`,
    partitionsReason !== null && 'without partitions',
  ]
  return facts.filter((fact) => fact !== false)
}

/** Pages a second with one digit, from what a run reports. */
function pagesPerSecond({ documents, pages, documentsPerSecond }: RunRow): number | null {
  if (documentsPerSecond === null || documents === 0) return null
  return Math.round((documentsPerSecond * pages * 10) / documents) / 10
}

/** Null while the total is unknown. */
function percentOf({ documents, total }: Pick<RangeRow, 'documents' | 'total'>): number | null {
  if (total === null) return null
  return total === 0 ? 100 : Math.min(100, Math.floor((documents * 100) / total))
}

/** The bars of a run's ranges, each with its filter. */
export function rangeBars(partitions: readonly RangeRow[]) {
  return partitions.map((range, index) => ({
    label: `Range ${index + 1}`,
    where: range.where,
    percent: percentOf(range),
  }))
}

/** Since when a run waits, why, when it tries again, and when it gives up; empty if it does not wait. */
export function waitingText({ status, reason, wait }: Pick<RunRow, 'status' | 'reason' | 'wait'>): string {
  if (status !== 'waiting') return ''
  if (!wait) return `Waiting: ${reason}`
  const next = wait.for === 'slot' ? 'when a slot is free, or ' : ''
  const end = wait.givesUpAt === null ? '' : `, gives up at ${formatTime(wait.givesUpAt)}`
  return `Waiting since ${formatTime(wait.since)}, next try ${next}at ${formatTime(wait.until)}${end}: ${reason}`
}

/** For screen readers: progress in steps of ten percent, and the end. */
export function announcementOf({ entity, status, percent, documents }: RunRow): string {
  if (status !== 'running') return `${entity}: ${status}, ${plural(documents, 'document')}`
  return percent === null ? `${entity}: running` : `${entity}: ${Math.floor(percent / 10) * 10}%`
}

/** What is announced: nothing for the first text, or the same again. */
export const isNews = (last: string, text: string) => last !== '' && text !== '' && text !== last

export function faultCount({ faults }: Pick<RunRow, 'faults'>): number {
  return Object.values(faults).reduce((sum, count) => sum + count, 0)
}

/** `429: 12, timeout: 1` */
export function faultsText({ faults }: Pick<RunRow, 'faults'>): string {
  const parts = Object.entries(faults).map(([fault, count]) => `${fault}: ${formatCount(count)}`)
  return parts.join(', ') || 'none'
}

/** `exact, suspect` */
export function proofText({ proof, suspect }: Pick<RunRow, 'proof' | 'suspect'>): string {
  return [proof, suspect && 'suspect'].filter(Boolean).join(', ') || '–'
}

/** Whether the publisher may have stored what a proof was decided from. */
export const hasEvidence = ({ kind, status }: Pick<RunRow, 'kind' | 'status'>) =>
  kind !== 'increment' && (status === 'published' || status === 'refused')

/** Shown in place of a change set. */
export const comparisonTexts: Readonly<Record<Exclude<RunComparison['kind'], 'published'>, string>> = {
  none: '–',
  pending: 'comparison in progress',
  missing: 'none',
  refused: 'refused',
}

export const emptyStoryText = (isActive: boolean) =>
  isActive ? 'Nothing unusual so far.' : 'Nothing unusual.'

/** The share of the longest run of a list, in percent, for a bar that is always visible. */
export function durationShare(run: RunRow, runs: readonly RunRow[], now: string): number {
  const longestMs = Math.max(1, ...runs.map((each) => durationMs(each, now)))
  return Math.max(2, Math.round((durationMs(run, now) * 100) / longestMs))
}

/** Adds the page that was read after the last run. */
export const withOlder = (before: RunsResponse, older: RunsResponse): RunsResponse => ({
  runs: [...before.runs, ...older.runs],
  next: older.next,
})

export const withCurrent = (runs: readonly RunRow[], newest: RunRow | undefined): RunRow[] =>
  runs.map((run) => (newest && run.runId === newest.runId ? newest : run))

/** Keeps the older runs that have been loaded before. */
export function withNewest(before: RunsResponse | undefined, { runs, next }: RunsResponse): RunsResponse {
  const last = runs.at(-1)?.runId ?? ''
  const older = (before?.runs ?? []).filter(({ runId }) => runId < last)
  return older.length > 0 && before ? { runs: [...runs, ...older], next: before.next } : { runs, next }
}
