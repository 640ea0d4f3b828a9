import type { ChangedPaths, ReportChanges, RetypedTypes } from '../tables/schema-changes.ts'
import { changeKinds } from '../tables/schema-changes.ts'
import { type DocumentCounts, minDocuments, type ValueType, valueTypes } from './field.ts'
import type { ReportedField, SchemaReport } from './schema-report.ts'

/** How the fields of two snapshots differ; undefined if they do not. A report that is truncated may have left out a path. */
export function changesBetween(before: SchemaReport, after: SchemaReport): ReportChanges | undefined {
  const [earlier, later] = [before, after].map(fieldsByPath) as [FieldsByPath, FieldsByPath]
  const added = before.truncated ? [] : onlyIn(later, earlier)
  const removed = after.truncated ? [] : onlyIn(earlier, later)
  const retyped = [...later].flatMap(([path, field]) => {
    const known = earlier.get(path)
    if (!known || seenTypes(known).length === 0) return []
    return hasNewType(known, field) || hasNewType(field, known) ? [path] : []
  })
  const isChanged = added.length + removed.length + retyped.length > 0
  return isChanged ? firstPaths({ added, removed, retyped }) : undefined
}

/** The types that the values of these paths had, and have. */
export function typesOf(
  paths: readonly string[],
  ...reports: readonly [SchemaReport, SchemaReport]
): RetypedTypes {
  const [before, after] = reports.map(fieldsByPath) as [FieldsByPath, FieldsByPath]
  const seen = (fields: FieldsByPath, path: string) => seenTypes(fields.get(path))
  return Object.fromEntries(
    paths.map((path) => [path, { before: seen(before, path), after: seen(after, path) }]),
  )
}

/** Null is no type. */
const seenTypes = (field: CountedField | undefined): ValueType[] =>
  valueTypes.filter((type) => field && field.types[type] > 0)

/** Of each kind. */
const maxPaths = 100
/** Of all paths as JSON, in bytes. An event may have 1 MB (Amazon EventBridge quotas), and readers' queues less. */
const maxBytes = 100_000

/** As many paths of each kind as fit, alternating between the kinds, so that none takes the space of another. */
function firstPaths(all: ChangedPaths): ReportChanges {
  const first: Record<(typeof changeKinds)[number], string[]> = { added: [], removed: [], retyped: [] }
  let bytes = 0
  for (let index = 0; index < maxPaths; index++) {
    for (const kind of changeKinds) {
      const path = all[kind][index]
      if (path === undefined || first[kind].length < index) continue
      const size = Buffer.byteLength(JSON.stringify(path)) + 1
      if (bytes + size > maxBytes) continue
      bytes += size
      first[kind].push(path)
    }
  }
  const [added, removed, retyped] = changeKinds.map((kind) => all[kind].length) as [number, number, number]
  return { ...first, counts: { added, removed, retyped } }
}

type FieldsByPath = ReadonlyMap<string, CountedField>

interface CountedField {
  readonly types: ReportedField['types']
  readonly documents: DocumentCounts
}

const fieldsByPath = ({ fields }: SchemaReport): FieldsByPath =>
  new Map(
    fields.map(({ path, present, types, documents = { present, ...types } }) => [path, { types, documents }]),
  )

const onlyIn = (fields: FieldsByPath, others: FieldsByPath): readonly string[] =>
  [...fields].flatMap(([path, { documents }]) =>
    documents.present >= minDocuments && !others.has(path) ? [path] : [],
  )

/** Whether enough documents have a type at the path that none had. */
const hasNewType = (before: CountedField, after: CountedField): boolean =>
  valueTypes.some((type) => after.documents[type] >= minDocuments && before.types[type] === 0)
