import type { RecordsResponse, SetRow } from '../../contract.ts'
import { formatCount } from './format.ts'

/** The cells of a change set in the table of them; undefined for a reset, which has no records. */
export function countCells({ kind, created, updated, deleted }: SetRow) {
  if (kind === 'reset') return undefined
  return Object.entries({ created, updated, deleted }).map(
    ([name, count]) => [name, formatCount(count)] as const,
  )
}

/** The counts of a change set with their names. */
export function countFacts({ set, counts, stateDocuments }: RecordsResponse) {
  const facts: Record<string, number> = {
    Created: set.created,
    Updated: set.updated,
    Deleted: set.deleted,
    ...(counts && {
      Unchanged: counts.unchanged,
      Rewritten: counts.rewritten,
      Withheld: counts.withheld,
      'Documents before': counts.baseDocuments,
    }),
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

/** The index of the first record of a page. */
export const firstRecord = (page: number) => String(page * recordsPerPage)

export const recordPages = (total: number) => Math.ceil(total / recordsPerPage)
