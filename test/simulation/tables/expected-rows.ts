import { type ColumnTypeText, columnTypeOf } from '../../../functions/runtime/settings-schema/column-type.ts'
import { expectedValue } from '../../../functions/tables/check/expected-value.ts'
import type { Rendering } from '../../../local/stand-in/rendering.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import { identityOf, lineOf } from '../platform/documents.ts'

/** A snapshot that was published, with its documents in the order of the manifest. */
export interface PublishedDocuments {
  readonly manifest: Manifest
  readonly documents: readonly number[]
}

/** A row as text, for comparisons. */
export const rowText = (values: readonly unknown[]): string =>
  JSON.stringify(values.map((value) => (typeof value === 'bigint' ? String(value) : (value ?? null))))

/** The rows that the table of a snapshot must have, sorted: of documents with one id, the last one counts. */
export function expectedRows(
  { manifest, documents }: PublishedDocuments,
  columns: TableLatest['columns'],
  rendering: Rendering,
): readonly string[] {
  const last = new Map(documents.map((index) => [identityOf(index, manifest.idField), index]))
  return [...last.values()].map((index) => expectedRow(lineOf(index, rendering), columns)).toSorted()
}

function expectedRow(line: string, columns: TableLatest['columns']): string {
  const members = membersOf(Buffer.from(line, 'latin1').toString())
  return rowText(
    Object.values(columns).map(({ from: [name = ''], type }) => {
      const json = members.get(name)
      const isNull = json === undefined || json === 'null'
      return isNull ? null : expectedValue(json, columnTypeOf(type as ColumnTypeText))
    }),
  )
}

/** JSON.parse passes the text of a value that is neither an object nor an array. */
interface Source {
  readonly source?: string
}

/** The members of a document whose values are no objects and arrays, with the text of the value. */
function membersOf(document: string): ReadonlyMap<string, string> {
  const texts = new Map<unknown, Map<string, string>>()
  const reviver = function (this: unknown, name: string, ...[value, { source }]: [unknown, Source]) {
    const own = texts.get(this) ?? new Map<string, string>()
    texts.set(this, own)
    if (source !== undefined) own.set(name, source)
    return value
  }
  const top: unknown = JSON.parse(document, reviver as Parameters<typeof JSON.parse>[1])
  return texts.get(top) ?? new Map()
}
