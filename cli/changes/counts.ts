import { countsOf, type SetSummary } from '../../functions/state/changes/changes.ts'
import type { ChangeRange } from '../../operator/changes/chain.ts'
import { formatCount } from '../../operator/text/format.ts'
import { formatTable } from '../shell/table.ts'

export type ChangeTotals = ReturnType<typeof countsOf>

export function totalsOf(sets: readonly SetSummary[]): ChangeTotals {
  const sum = (key: keyof ChangeTotals) => sets.reduce((total, set) => total + countsOf(set)[key], 0)
  return { created: sum('created'), updated: sum('updated'), deleted: sum('deleted') }
}

/** `1,200 created, 30 updated, 4 deleted` */
export function countsText({ created, updated, deleted }: ChangeTotals): string {
  return `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`
}

/** A row for each set, and their sum. */
export function rangeText(entity: string, { since, tip, sets }: ChangeRange): string {
  if (sets.length === 0) return `No changes of ${entity} since run ${since}.`
  const rows = sets.map((set) => {
    const { created, updated, deleted } = countsOf(set)
    return [set.runId, ...[created, updated, deleted].map(formatCount)]
  })
  return [
    formatTable([['RUN', 'CREATED', 'UPDATED', 'DELETED'], ...rows]),
    '',
    `From run ${since} to run ${tip}: ${countsText(totalsOf(sets))}.`,
  ].join('\n')
}
