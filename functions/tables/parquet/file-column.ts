import type { SchemaElement } from 'hyparquet-writer'
import type { FileColumn } from '../../../stored/iceberg/table-schema.ts'
import type { Column } from '../../runtime/settings-schema/columns.ts'

/** The columns as the schema of a Parquet file: every one is optional. */
export const fileSchema = (columns: readonly FileColumn[]): SchemaElement[] => [
  { name: 'table', num_children: columns.length },
  ...columns.map(columnSchema),
]

export function columnSchema({ name, fieldId, type }: FileColumn): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', field_id: fieldId, ...physicalType(type) }
}

/** How Parquet stores the decimals of a precision (Iceberg specification, appendix A). */
export function decimalStorage(precision: number): Pick<SchemaElement, 'type' | 'type_length'> {
  if (precision <= 9) return { type: 'INT32' }
  if (precision <= 18) return { type: 'INT64' }
  const bits = (10n ** BigInt(precision)).toString(2).length + 1
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: Math.ceil(bits / 8) }
}

/** The types that Iceberg maps its types to (Iceberg specification, appendix A). */
function physicalType(type: Column['type']): Omit<SchemaElement, 'name'> {
  switch (type.kind) {
    case 'string':
    case 'json':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case 'boolean':
      return { type: 'BOOLEAN' }
    case 'int':
      return { type: 'INT32' }
    case 'long':
      return { type: 'INT64' }
    case 'double':
      return { type: 'DOUBLE' }
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'timestamp':
      return {
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      }
    case 'decimal': {
      const { precision, scale } = type
      const logical_type = { type: 'DECIMAL', precision, scale } as const
      return { ...decimalStorage(precision), converted_type: 'DECIMAL', logical_type, precision, scale }
    }
  }
}
