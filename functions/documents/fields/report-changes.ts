import type { ReportedField, SchemaReport } from './schema-report.ts'
import type { ValueType } from './value-type.ts'

/** Paths that are new, paths that are gone, and paths with a type that is new or gone. */
export interface ReportChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly retyped: readonly string[]
}

/** The content of `snapshots/<entity>/<runId>/schema-changes.json`. It has no values. */
export interface StoredChanges extends ReportChanges {
  readonly version: 1
  readonly entity: string
  readonly runId: string
}

/** What fewer documents have may be a mistake in one of them. */
const minDocuments = 10

/** How the fields of two snapshots differ; undefined if they do not. A report that is truncated may have left out a path. */
export function changesBetween(before: SchemaReport, after: SchemaReport): ReportChanges | undefined {
  const [earlier, later] = [before, after].map(fieldsByPath) as [FieldsByPath, FieldsByPath]
  const added = before.truncated ? [] : onlyIn(later, earlier)
  const removed = after.truncated ? [] : onlyIn(earlier, later)
  const retyped = [...later].flatMap(([path, field]) => {
    const known = earlier.get(path)
    return known && (hasNewType(known, field) || hasNewType(field, known)) ? [path] : []
  })
  return added.length + removed.length + retyped.length === 0 ? undefined : { added, removed, retyped }
}

type FieldsByPath = ReadonlyMap<string, CountedField>

interface CountedField {
  readonly types: ReportedField['types']
  /** At most so many documents have the field: below a map, one document counts with each of its members. */
  readonly documents: number
}

function fieldsByPath(report: SchemaReport): FieldsByPath {
  const byPath = new Map<string, CountedField>()
  const parents: { readonly path: string; readonly documents: number }[] = []
  // Each field comes before its members.
  for (const { path, present, types } of report.fields) {
    while (parents.length > 0 && !path.startsWith(`${parents.at(-1)?.path}.`)) parents.pop()
    const documents = Math.min(present, parents.at(-1)?.documents ?? report.documents)
    parents.push({ path, documents })
    byPath.set(path, { types, documents })
  }
  return byPath
}

const onlyIn = (fields: FieldsByPath, others: FieldsByPath): readonly string[] =>
  [...fields].flatMap(([path, { documents }]) =>
    documents >= minDocuments && !others.has(path) ? [path] : [],
  )

/** Whether enough documents have a type at the path that none had. */
function hasNewType(before: CountedField, after: CountedField): boolean {
  const types = Object.entries(after.types) as [ValueType, number][]
  return types.some(
    ([type, count]) => Math.min(count, after.documents) >= minDocuments && before.types[type] === 0,
  )
}
