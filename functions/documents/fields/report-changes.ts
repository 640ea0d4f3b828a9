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
  const [earlier, later] = [before, after].map(
    ({ fields }) => new Map(fields.map((field) => [field.path, field])),
  ) as [Map<string, ReportedField>, Map<string, ReportedField>]
  const added = before.truncated ? [] : onlyIn(after, earlier)
  const removed = after.truncated ? [] : onlyIn(before, later)
  const retyped = after.fields.flatMap((field) => {
    const known = earlier.get(field.path)
    return known && (hasNewType(known, field) || hasNewType(field, known)) ? [field.path] : []
  })
  return added.length + removed.length + retyped.length === 0 ? undefined : { added, removed, retyped }
}

const onlyIn = ({ fields }: SchemaReport, others: ReadonlyMap<string, ReportedField>): readonly string[] =>
  fields.flatMap(({ path, present }) => (present >= minDocuments && !others.has(path) ? [path] : []))

/** Whether enough documents have a type at the path that none had. */
function hasNewType(before: ReportedField, after: ReportedField): boolean {
  const types = Object.entries(after.types) as [ValueType, number][]
  return types.some(([type, count]) => count >= minDocuments && before.types[type] === 0)
}
