import type { ReportChanges, StoredChanges } from '../state/tables/schema-changes.ts'

const maxNamed = 5

/** How the fields of a snapshot differ from those of the snapshot before, in one line. */
export function schemaChangesText({ runId, added, removed, retyped }: StoredChanges): string {
  const parts = [named('added', added), named('removed', removed), named('changed the type of', retyped)]
  return `The fields of the documents changed in run ${runId}: ${parts.flat().join('; ')}.`
}

function named(what: string, paths: ReportChanges['added']): string[] {
  if (paths.length === 0) return []
  const rest = paths.length - maxNamed
  const shown = paths.slice(0, maxNamed).map(printable).join(', ')
  return [`${what} ${rest > 0 ? `${shown} and ${rest} more` : shown}`]
}

const maxLength = 60

/** The platform chooses the names of members: they must not end the line, or fill the screen. */
function printable(path: string): string {
  const shown = path.length > maxLength ? `${path.slice(0, maxLength)}…` : path
  return shown.replaceAll(/[\p{C}\p{Z}]/gu, (character) => (character === ' ' ? ' ' : '?'))
}

/** The command line that proposes columns for the fields as they are now, without the program's name. */
export const schemaChangesCommand = (entity: string) => `columns ${entity}`
