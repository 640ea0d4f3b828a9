import { schemaChangesCommand, schemaChangesText } from '../../functions/problems/schema-changes.ts'
import {
  glueFix,
  type TableProblem,
  tableCommandLine,
  tableText,
} from '../../functions/problems/table-state.ts'
import type { StoredChanges } from '../../functions/state/tables/schema-changes.ts'
import type { TableFact } from './facts.ts'
import { type Finding, type LongshoreFixes, note, problem, solvable } from './finding.ts'

/** Tables that do not match their published snapshots for all readers. Every publication repairs them. */
export const tableFindings = (tables: readonly TableFact[], { longshore }: LongshoreFixes): Finding[] =>
  tables.map(({ entity, table }) => {
    const text = `${entity}: ${tableText(table)}`
    const sync = longshore(tableCommandLine(entity))
    const first = fixOf(table)
    return first ? problem('entities', text, `${first}, then run ${sync}`) : solvable('entities', text, sync)
  })

const fixOf = (table: TableProblem) => (table.kind === 'unlisted' ? glueFix(table.reason) : undefined)

/** How the fields of the published snapshots differ from those before. */
export const schemaFindings = (changes: readonly StoredChanges[], { longshore }: LongshoreFixes): Finding[] =>
  changes.map((stored) => {
    const command = longshore(schemaChangesCommand(stored.entity))
    return { ...note('schema', `${stored.entity}: ${schemaChangesText(stored)}`), fix: command, command }
  })
