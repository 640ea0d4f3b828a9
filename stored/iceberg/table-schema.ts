import { isDeepStrictEqual } from 'node:util'
import type { Column, ColumnType } from '../../functions/runtime/settings-schema/columns.ts'
import type { TableColumn } from '../tables/table.ts'

/** A column with the id that the table's schema gives it. */
export type FileColumn = Column & { readonly fieldId: number }

interface SchemaField {
  readonly id: number
  readonly name: string
  readonly required: false
  readonly type: string
}

/** Iceberg specification, "Schemas and Data Types". */
export interface TableSchema {
  readonly type: 'struct'
  readonly 'schema-id': number
  readonly fields: readonly SchemaField[]
}

/** What the schema of the next commit continues. */
export interface PreviousColumns {
  readonly columns: Readonly<Record<string, TableColumn>>
  readonly lastColumnId: number
}

/**
 * Gives each column its field id. A column keeps its id while it exists with its path and type, or with a type that Iceberg
 * can promote to. Otherwise it is a new column, with an id that no column had before.
 */
export function assignFieldIds(
  columns: readonly Column[],
  { columns: previous, lastColumnId }: PreviousColumns,
): { readonly columns: readonly FileColumn[]; readonly lastColumnId: number } {
  let last = lastColumnId
  const assigned = columns.map((column) => {
    const known = Object.hasOwn(previous, column.name) ? previous[column.name] : undefined
    return { ...column, fieldId: known && continues(known, column) ? known.id : ++last }
  })
  return { columns: assigned, lastColumnId: last }
}

function continues(known: TableColumn, column: Column): boolean {
  const { type, from, hash } = tableColumn({ ...column, fieldId: known.id })
  return isDeepStrictEqual(from, known.from) && hash === known.hash && isPromotion(known.type, type)
}

function isPromotion(before: string, after: string): boolean {
  if (before === after || (before === 'int' && after === 'long')) return true
  const [from, to] = [before, after].map(decimalOf)
  return from !== undefined && to !== undefined && from.scale === to.scale && to.precision >= from.precision
}

function decimalOf(type: string): { readonly precision: number; readonly scale: number } | undefined {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  return scale === undefined ? undefined : { precision: Number(precision), scale: Number(scale) }
}

/** As `latest.json` has it. */
function tableColumn({ fieldId: id, from, type }: FileColumn): TableColumn {
  const hash = type.kind === 'string' ? type.hash : undefined
  return { id, type: typeText(type), from, ...(hash && { hash }) }
}

const typeText = (type: ColumnType): string =>
  type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind

/** The columns as `latest.json` has them, by name. */
export const tableColumns = (columns: readonly FileColumn[]): Readonly<Record<string, TableColumn>> =>
  Object.fromEntries(columns.map((column) => [column.name, tableColumn(column)]))

export function schemaFields(columns: readonly FileColumn[]): readonly SchemaField[] {
  return columns.map(({ fieldId: id, name, type }) => ({
    id,
    name,
    required: false,
    type: icebergType(type),
  }))
}

function icebergType(type: ColumnType): string {
  if (type.kind === 'decimal') return `decimal(${type.precision}, ${type.scale})`
  if (type.kind === 'timestamp') return 'timestamptz'
  return type.kind === 'json' ? 'string' : type.kind
}
