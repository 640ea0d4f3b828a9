import { tableCommand, tableText } from '../tables/table-state.ts'
import type { TableFact } from './facts.ts'
import { type Finding, type FixCommands, solvable } from './finding.ts'

/** Tables that are not as their published snapshots. */
export const tableFindings = (
  tables: readonly TableFact[],
  { longshore }: Pick<FixCommands, 'longshore'>,
): Finding[] =>
  tables.map(({ entity, table }) =>
    solvable('entities', `${entity}: ${tableText(table)}`, longshore(tableCommand(entity))),
  )
