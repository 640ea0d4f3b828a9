import type { ReportChanges } from '../../state/tables/schema-changes.ts'
import { type DocumentCounts, minDocuments } from '../fields/field-documents.ts'
import { valueTypes } from '../fields/value-type.ts'
import type { ReportedField, SchemaReport } from './schema-report.ts'

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
  readonly documents: DocumentCounts
}

const fieldsByPath = ({ fields }: SchemaReport): FieldsByPath =>
  new Map(
    fields.map(({ path, present, types, documents }) => [
      path,
      { types, documents: documents ?? { present, ...types } },
    ]),
  )

const onlyIn = (fields: FieldsByPath, others: FieldsByPath): readonly string[] =>
  [...fields].flatMap(([path, { documents }]) =>
    documents.present >= minDocuments && !others.has(path) ? [path] : [],
  )

/** Whether enough documents have a type at the path that none had. */
function hasNewType(before: CountedField, after: CountedField): boolean {
  return valueTypes.some((type) => after.documents[type] >= minDocuments && before.types[type] === 0)
}
