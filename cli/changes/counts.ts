import type { SetSummary } from '../../functions/state/changes/changes.ts'
import { formatCount } from '../shell/format.ts'

export type ChangeTotals = Pick<SetSummary, 'created' | 'updated' | 'deleted'>

export function totalsOf(sets: readonly ChangeTotals[]): ChangeTotals {
  const sum = (key: keyof ChangeTotals) => sets.reduce((total, set) => total + set[key], 0)
  return { created: sum('created'), updated: sum('updated'), deleted: sum('deleted') }
}

/** `1,200 created, 30 updated, 4 deleted` */
export function countsText({ created, updated, deleted }: ChangeTotals): string {
  return `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`
}
