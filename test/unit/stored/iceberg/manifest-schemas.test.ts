import { expect, it } from 'vitest'
import { manifestEntrySchema, manifestFileSchema } from '../../../../stored/iceberg/manifest-schemas.ts'

interface Field {
  readonly 'field-id'?: number
  readonly name: string
  readonly type: unknown
}

/** The fields of a record and of what it contains, as the specification lists them. */
function fieldsOf(type: unknown): string[] {
  if (typeof type !== 'object' || type === null) return []
  if (Array.isArray(type)) return type.flatMap(fieldsOf)
  const { fields = [], items } = type as { readonly fields?: readonly Field[]; readonly items?: unknown }
  const own = fields.flatMap((field) => [
    `${field['field-id']} ${field.name} ${textOf(field.type)}`,
    ...fieldsOf(field.type),
  ])
  return [...own, ...fieldsOf(items)]
}

/** A type in the specification's words: Avro's union with null is an optional field. */
function textOf(type: unknown): string {
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return `optional ${textOf(type[1])}`
  return (type as { readonly type: string }).type
}

it('a manifest has the field ids and types of the Iceberg specification', () => {
  expect(fieldsOf(manifestEntrySchema)).toEqual([
    '0 status int',
    '1 snapshot_id optional long',
    '3 sequence_number optional long',
    '4 file_sequence_number optional long',
    '2 data_file record',
    '134 content int',
    '100 file_path string',
    '101 file_format string',
    '102 partition record',
    '103 record_count long',
    '104 file_size_in_bytes long',
    '108 column_sizes optional array',
    '117 key int',
    '118 value long',
    '109 value_counts optional array',
    '119 key int',
    '120 value long',
    '110 null_value_counts optional array',
    '121 key int',
    '122 value long',
    '125 lower_bounds optional array',
    '126 key int',
    '127 value bytes',
    '128 upper_bounds optional array',
    '129 key int',
    '130 value bytes',
    '132 split_offsets optional array',
  ])
})

it('a manifest list has the field ids and types of the Iceberg specification', () => {
  expect(fieldsOf(manifestFileSchema)).toEqual([
    '500 manifest_path string',
    '501 manifest_length long',
    '502 partition_spec_id int',
    '517 content int',
    '515 sequence_number long',
    '516 min_sequence_number long',
    '503 added_snapshot_id long',
    '504 added_files_count int',
    '505 existing_files_count int',
    '506 deleted_files_count int',
    '512 added_rows_count long',
    '513 existing_rows_count long',
    '514 deleted_rows_count long',
  ])
})
