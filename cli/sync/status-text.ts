import { lastIncrementText } from '../../functions/problems/increment-problems.ts'
import { formatAge, formatCount, plural } from '../../functions/runtime/format.ts'
import { waitText } from '../../functions/story/notes.ts'
import type { Story } from '../../functions/story/story.ts'
import { partitionsRemark, runBars } from '../../operator/sync/run-bars.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import { type Next, nextText, scheduleText } from '../../operator/text/next-run.ts'
import { barLines } from '../../operator/text/progress.ts'
import { lastEnded } from '../../stored/run/last-ended.ts'
import { formatTable } from '../shell/text-table.ts'
import { phasesText, progressText } from './run-table.ts'

export type ShownEntity = Awaited<ReturnType<Syncs['list']>>['entities'][number]

/** `story`: of the running run; absent if it could not be read. */
type StatusRow = ShownEntity & { readonly next: Next; readonly story?: Pick<Story, 'phases'> | undefined }

const columnsOf: readonly (readonly [heading: string, cell: (row: StatusRow, now: number) => string])[] = [
  ['ENTITY', ({ entity }) => entity],
  ['SCHEDULE', scheduleText],
  ['DOCUMENTS', ({ snapshot }) => (snapshot ? formatCount(snapshot.documents) : '-')],
  ['PUBLISHED', ({ snapshot }, now) => (snapshot ? formatAge(snapshot.publishedAt, now) : 'never')],
  ['LAST RUN', ({ running, runs }) => (running ? progressText(running) : (runs[0]?.status ?? '-'))],
  ['NEXT RUN', ({ next }, now) => nextText(next, now, '-')],
]

/** Left out of a table that is too wide, in this order. */
const optional = ['SCHEDULE', 'NEXT RUN', 'DOCUMENTS']

/** To which the name of an entity is shortened at most. */
const minNameWidth = 20

interface Shown {
  readonly now: number
  /** Of the terminal; undefined for no limit. */
  readonly columns: number | undefined
  readonly rows?: number | undefined
  /** Entities that are always shown. */
  readonly urgent?: ReadonlySet<string>
}

/** A table of the entities, and below it the ranges that are being scrolled. */
export function statusText(all: readonly StatusRow[], { now, columns, rows: height, urgent }: Shown): string {
  if (all.length === 0) return 'No entity is configured.'
  const entities = fittingEntities(all, height, urgent)
  const left = all.length - entities.length
  const rows = entities.map((row) => columnsOf.map(([, cell]) => cell(row, now)))
  const table = formatTable([columnsOf.map(([heading]) => heading), ...rows], {
    columns,
    optional,
    shortenedTo: minNameWidth,
  })
  const increments = entities.flatMap((view) => incrementsText(view, now))
  const below = [
    ...entities.flatMap((view) => partitionsText(view, columns)),
    ...entities.flatMap(runningPhasesText),
    ...entities.flatMap((view) => runningWaitText(view, now)),
    ...(increments.length > 0 ? [increments.join('\n')] : []),
    ...(left > 0
      ? [
          `${plural(left, 'more entity', 'more entities')} ${left > 1 ? 'have' : 'has'} no problem. All are listed if the output is not a terminal.`,
        ]
      : []),
  ]
  return [table, ...below].join('\n\n')
}

/** Of the terminal, for what is not the table. */
const otherRows = 11
/** So few are always shown. */
const alwaysShown = 20
/** On a terminal of a few lines. */
const minShown = 5

/** The problems above the table stay on the screen: what is running comes before what is fine. */
function fittingEntities(
  all: readonly StatusRow[],
  height = Number.POSITIVE_INFINITY,
  urgent: ReadonlySet<string> = new Set(),
): readonly StatusRow[] {
  if (all.length <= Math.max(alwaysShown, height - otherRows)) return all
  const rank = ({ entity, running }: StatusRow) => (urgent.has(entity) ? 0 : running ? 1 : 2)
  const count = Math.max(minShown, height - otherRows, all.filter(({ entity }) => urgent.has(entity)).length)
  const kept = new Set(all.toSorted((one, other) => rank(one) - rank(other)).slice(0, count))
  return all.filter((row) => kept.has(row))
}

/** How far increments have come, which the table of snapshots does not show. */
function incrementsText({ entity, increments }: ShownEntity, now: number): string[] {
  if (!increments) return []
  const { schedule, window, recordsLastDay, last } = increments
  const end = window ? `last window ended ${formatAge(window.to, now)}` : 'no window yet'
  const ending = lastIncrementText(last)
  const reason = ending ? `. ${ending}` : ''
  return [
    `${entity} increments, ${schedule}: ${end}, ${plural(recordsLastDay, 'record')} in the last day${reason}`,
  ]
}

/** What the running run has done, and does now. */
const runningPhasesText = ({ entity, story }: StatusRow): string[] =>
  story && story.phases.length > 0 ? [`${entity}: ${phasesText(story)}`] : []

/** Since when the running run waits, for what, when it tries again, and when it gives up. */
function runningWaitText({ entity, running }: ShownEntity, now: number): string[] {
  if (!running?.wait) return []
  const { since: from, until: to, ...wait } = running.wait
  return [`${entity}: ${waitText({ ...wait, reason: running.reason ?? '', from, to }, now)}`]
}

/** The ranges of the running run, or why the last run was scrolled without them. */
function partitionsText(view: ShownEntity, columns: number | undefined): string[] {
  const { entity, running } = view
  if (running?.partitions) return [barLines(runBars(running), columns).join('\n')]
  const last = running ?? lastEnded(view.runs)
  return last?.partitionsReason ? [`${entity}: ${partitionsRemark(last)}`] : []
}
