import { formatCount } from '../../functions/runtime/format.ts'
import { type ChangeRange, totalsOf } from '../../operator/changes/chain.ts'
import { countsOf, type SetCounts } from '../../stored/changes/chain-facts.ts'
import { formatTable } from '../shell/text-table.ts'

/** `1,200 created, 30 updated, 4 deleted`, and what increments delivered if they did. */
export function countsText({ created, updated, deleted, delivered }: SetCounts): string {
  const compared = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`
  return delivered > 0 ? `${compared}, ${formatCount(delivered)} delivered by increments` : compared
}

const headings = { created: 'CREATED', updated: 'UPDATED', deleted: 'DELETED', delivered: 'DELIVERED' }

/** A row for each set, and their sum. Only increments deliver. */
export function rangeText(entity: string, { since, tip, sets }: ChangeRange, columns?: number): string {
  if (sets.length === 0) return `No changes of ${entity} since run ${since}.`
  const hasIncrements = sets.some(({ kind }) => kind === 'increment')
  const shown = (Object.keys(headings) as (keyof SetCounts)[]).filter(
    (column) => hasIncrements || column !== 'delivered',
  )
  const rows = sets.map((set) => {
    const counts = countsOf(set)
    return [set.runId, ...shown.map((column) => formatCount(counts[column]))]
  })
  return [
    formatTable([['RUN', ...shown.map((column) => headings[column])], ...rows], {
      columns,
      optional: ['DELIVERED', 'UPDATED', 'CREATED'],
    }),
    '',
    `From run ${since} to run ${tip}: ${countsText(totalsOf(sets))}.`,
  ].join('\n')
}
