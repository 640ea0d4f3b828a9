import { knownFix } from '../../functions/problems/run-fixes.ts'
import {
  formatAge,
  formatCount,
  formatDuration,
  formatRoughDuration,
} from '../../functions/runtime/format.ts'
import type { Story } from '../../functions/story/story.ts'
import { UsageError } from '../../operator/errors.ts'
import { durationOf } from '../../stored/run/run.ts'
import type { RunView } from '../../stored/views.ts'
import { formatTable } from '../shell/text-table.ts'

const maxLimit = 1000

/** Reads the value of `--limit`. Throws `UsageError`. */
export function readLimit(text: string): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= maxLimit) return limit
  throw new UsageError(`Invalid value '${text}' for --limit. Use a whole number from 1 to ${maxLimit}.`)
}

type ListedRun = RunView & { readonly story: Pick<Story, 'phases' | 'events'> }

/** A table of runs, and below it why each of them ended as it did, with its phases, attempts, waits and faults. */
export function runsText(runs: readonly ListedRun[], now: number, columns?: number): string {
  if (runs.length === 0) return 'No runs in the last 30 days.'
  const rows = [
    ['RUN', 'STARTED', 'DURATION', 'STATUS', 'DOCUMENTS', 'PROOF', 'ATTEMPTS'],
    ...runs.map((run) => [
      run.runId,
      formatAge(run.startedAt, now),
      formatRoughDuration(
        run.endedAt ? durationOf({ ...run, endedAt: run.endedAt }) : now - Date.parse(run.startedAt),
      ),
      run.endedAt ? run.status : progressText(run),
      formatCount(run.documents),
      run.proof ?? '-',
      String(run.attempt),
    ]),
  ]
  const table = formatTable(rows, { columns, optional: ['ATTEMPTS', 'PROOF', 'DURATION', 'DOCUMENTS'] })
  const remarks = runs.flatMap((run, index) =>
    [
      run.status === 'waiting' ? null : run.reason,
      index === 0 && run.status === 'failed' ? knownFix(run)?.action : null,
      // A run that was skipped has done nothing.
      run.status === 'skipped' || run.story.phases.length === 0 ? null : phasesText(run.story),
      ...run.story.events.map(({ text }) => text),
    ]
      .filter(Boolean)
      .map((remark) => `${run.runId}: ${remark}`),
  )
  return [table, ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n')
}

/** A table of increments, and below it why those that published nothing ended as they did. */
export function incrementsText(increments: readonly RunView[], now: number, columns?: number): string {
  if (increments.length === 0)
    return 'No increment has delivered records, failed or been skipped in the last 30 days.'
  const rows = [
    ['RUN', 'STARTED', 'STATUS', 'RECORDS', 'PROOF', 'FROM', 'TO'],
    ...increments.map(({ runId, startedAt, status, increment, proof }) => [
      runId,
      formatAge(startedAt, now),
      status,
      increment ? formatCount(increment.records) : '-',
      proof ?? '-',
      increment?.from ?? '-',
      increment?.to ?? '-',
    ]),
  ]
  const table = formatTable(rows, { columns, optional: ['FROM', 'TO', 'PROOF', 'RECORDS'] })
  const remarks = increments.flatMap(({ runId, reason }) => (reason ? [`${runId}: ${reason}`] : []))
  return [table, ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n')
}

/** `running 42%`, or the status alone while the total is unknown. */
export function progressText({ status, percent }: Pick<RunView, 'status' | 'percent'>): string {
  return percent === null ? status : `${status} ${percent}%`
}

/** `Phases: First page 2 s, Scroll 5 min 2 s, Publication in progress for 1 s` */
export function phasesText({ phases }: Pick<Story, 'phases'>): string {
  const texts = phases.map(({ name, state, durationMs }) => {
    const duration = durationMs === null ? '' : ` ${formatDuration(durationMs)}`
    if (state === 'now') return `${name} in progress for${duration}`
    return state === 'done' ? `${name}${duration}` : `${name} ${state}${duration && ` after${duration}`}`
  })
  return `Phases: ${texts.join(', ')}`
}
