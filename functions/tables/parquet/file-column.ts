import type { SchemaElement } from 'hyparquet-writer'
import type { Column } from '../../runtime/settings-schema/columns.ts'
import { decimalStorage } from '../values/decimal-storage.ts'

/** A column with the id that the table's schema gives it. */
export type FileColumn = Column & { readonly fieldId: number }

/** The columns as the schema of a Parquet file: every one is optional. */
export function fileSchema(columns: readonly FileColumn[]): SchemaElement[] {
  return [{ name: 'table', num_children: columns.length }, ...columns.map(columnSchema)]
}

export function columnSchema({ name, fieldId, type }: FileColumn): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', field_id: fieldId, ...physicalType(type) }
}

const utf8 = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const

/** The types that Iceberg maps its types to (Iceberg specification, appendix A). */
const physicalTypes = {
  string: utf8,
  json: utf8,
  boolean: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
} as const

function physicalType(type: Column['type']): Omit<SchemaElement, 'name'> {
  if (type.kind !== 'decimal') return physicalTypes[type.kind]
  const { precision, scale } = type
  const logical = { type: 'DECIMAL', precision, scale } as const
  return { ...decimalStorage(precision), converted_type: 'DECIMAL', logical_type: logical, precision, scale }
}
