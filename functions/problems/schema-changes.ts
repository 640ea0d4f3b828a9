import { changeKinds, type RetypedTypes, type StoredChanges } from '../../stored/tables/schema-changes.ts'

const maxNamed = 5

/** How the fields of a snapshot differ from those of the snapshot before, in one line. */
export function schemaChangesText({ runId, counts, types = {}, ...changes }: StoredChanges): string {
  const parts = changeKinds.map((kind) =>
    named(verbs[kind], changes[kind], { count: counts[kind], types: kind === 'retyped' ? types : {} }),
  )
  return `The fields of the documents changed in run ${runId}: ${parts.flat().join('; ')}.`
}

const verbs = { added: 'added', removed: 'removed', retyped: 'changed the type of' } as const

function named(
  what: string,
  paths: readonly string[],
  { count, types }: { readonly count: number; readonly types: RetypedTypes },
): string[] {
  if (paths.length === 0) return []
  const rest = count - Math.min(maxNamed, paths.length)
  const shown = paths
    .slice(0, maxNamed)
    .map((path) => `${printable(path)}${typesText(types[path])}`)
    .join(', ')
  return [`${what} ${rest > 0 ? `${shown} and ${rest} more` : shown}`]
}

function typesText(types: RetypedTypes[string] | undefined): string {
  if (!types) return ''
  const [before, after] = [types.before, types.after].map((each) => each.join(' or ') || 'null')
  return ` (from ${before} to ${after})`
}

const maxLength = 60

/** The platform chooses the names of members: they must not end the line, or fill the screen. */
function printable(path: string): string {
  const shown = path.length > maxLength ? `${path.slice(0, maxLength)}…` : path
  return shown.replaceAll(/[\p{C}\p{Z}]/gu, (character) => (character === ' ' ? ' ' : '?'))
}
