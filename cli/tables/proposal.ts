import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import type { ProposedColumn } from '../../operator/tables/propose-columns.ts'
import type { SchemaReport } from '../../stored/schema-report/schema-report.ts'

/** A `columns` block that can be pasted into the configuration. */
export function columnsProposal(
  { entity, runId, documents, loneSurrogates = 0, truncated }: SchemaReport,
  columns: readonly ProposedColumn[],
): string {
  const about = `// ${entity}: ${formatDocuments(documents)} in the snapshot of run ${runId}`
  if (columns.length === 0) return `${about}\n// No columns can be proposed: ${reasonOf(documents)}.`
  const lines = columns.map((column) => {
    const { name, type, present, seen, isPersonal } = column
    const comment = `${shareOf(present, documents)}; ${seen.join(', ') || 'no values'}`
    const line = `  ${name}: ${definitionOf(column)}, // ${comment}`
    return isPersonal && (type === 'string' || type === 'long') ? `${line}${personalText(column)}` : line
  })
  return [
    about,
    ...(loneSurrogates > 0 ? [loneSurrogatesText(loneSurrogates)] : []),
    ...(truncated ? ['// The documents have more fields than the schema report contains.'] : []),
    'columns: {',
    ...lines,
    '},',
  ].join('\n')
}

const loneSurrogatesText = (count: number) =>
  `// Half of a surrogate pair is in ${formatDocuments(count)}. A string column rejects it; docs/reading-snapshots.md shows how to read them.`

const reasonOf = (documents: number) =>
  documents === 0
    ? 'there are no documents'
    : 'the documents have no field whose name can be a path of the configuration'

function definitionOf({ from, type }: ProposedColumn): string {
  return from === undefined ? literal(type) : `{ from: ${literal(from)}, type: ${literal(type)} }`
}

/** As it is written in TypeScript. */
const literal = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

function shareOf(present: number, documents: number): string {
  if (present >= documents) return 'all documents'
  const percent = (present * 100) / documents
  return percent < 0.1 ? `${formatCount(present)} documents` : `${percent.toFixed(1)}% of documents`
}

function personalText({ name, from }: ProposedColumn): string {
  const hashed = `{ from: ${literal(from ?? name)}, type: 'string', hash: 'sha256' }`
  return `\n  // Looks like personal data. To store a pseudonym instead: ${name}: ${hashed},`
}
