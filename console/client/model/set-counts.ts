import type { RecordsResponse, SetRow } from '../../contract/change-sets.ts'
import { formatCount } from './format.ts'

const countNames = ['created', 'updated', 'deleted', 'delivered'] as const

/** The columns of the table of change sets: only increments deliver. */
export const countColumns = (sets: readonly SetRow[]) =>
  countNames.filter((name) => name !== 'delivered' || sets.some(({ kind }) => kind === 'increment'))

/** The cells of a change set in the table of them; undefined for a reset, which has no records. */
export function countCells(set: SetRow, columns: ReturnType<typeof countColumns>) {
  if (set.kind === 'reset') return undefined
  return columns.map((name) => [name, isCounted(set, name) ? formatCount(set[name]) : '–'] as const)
}

const isCounted = ({ kind }: SetRow, name: (typeof countNames)[number]) =>
  (kind === 'increment') === (name === 'delivered')

/** The counts of a change set with their names. */
export function countFacts({ set, counts, audit, stateDocuments }: RecordsResponse) {
  const compared = { Created: set.created, Updated: set.updated, Deleted: set.deleted }
  const facts: Record<string, number> = {
    ...(set.kind === 'increment' ? { Delivered: set.delivered } : compared),
    ...(counts && {
      Unchanged: counts.unchanged,
      Rewritten: counts.rewritten,
      Withheld: counts.withheld,
      ...(counts.held !== null && { Held: counts.held }),
      'Documents before': counts.baseDocuments,
    }),
    ...(audit && { 'Missed by increments': audit.missed, 'Invisible to increments': audit.invisible }),
    ...(stateDocuments !== null && { 'Documents after': stateDocuments }),
  }
  return Object.entries(facts).map(([name, count]) => [name, formatCount(count)] as const)
}

/** What is shown in place of records. */
export function recordsNotice({ set, total }: RecordsResponse): 'reset' | 'nothing' | undefined {
  if (set.kind === 'reset') return 'reset'
  return total === 0 ? 'nothing' : undefined
}

const recordsPerPage = 50

export const firstRecord = (page: number) => String(page * recordsPerPage)

export const recordPages = (total: number) => Math.ceil(total / recordsPerPage)
