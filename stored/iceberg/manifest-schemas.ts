import type { RecordSchema } from './avro-file.ts'

type AvroType = string | readonly unknown[] | object

const required = (id: number, name: string, type: AvroType) => ({ name, type, 'field-id': id })
const optional = (id: number, name: string, type: AvroType) => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
})

/** A map whose keys are field ids: an array of pairs (Iceberg specification, appendix A, "Avro"). */
const byFieldId = (keyId: number, valueId: number, values: string) => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [required(keyId, 'key', 'int'), required(valueId, 'value', values)],
  },
})

/** The tables are not partitioned. */
const noPartition = { type: 'record', name: 'r102', fields: [] }

const dataFile = {
  type: 'record',
  name: 'r2',
  fields: [
    required(134, 'content', 'int'),
    required(100, 'file_path', 'string'),
    required(101, 'file_format', 'string'),
    required(102, 'partition', noPartition),
    required(103, 'record_count', 'long'),
    required(104, 'file_size_in_bytes', 'long'),
    optional(108, 'column_sizes', byFieldId(117, 118, 'long')),
    optional(109, 'value_counts', byFieldId(119, 120, 'long')),
    optional(110, 'null_value_counts', byFieldId(121, 122, 'long')),
    optional(125, 'lower_bounds', byFieldId(126, 127, 'bytes')),
    optional(128, 'upper_bounds', byFieldId(129, 130, 'bytes')),
    optional(132, 'split_offsets', { type: 'array', items: 'long', 'element-id': 133 }),
  ],
}

/** Iceberg specification, "Manifests": one entry for each data file. */
export const manifestEntrySchema: RecordSchema = {
  type: 'record',
  name: 'manifest_entry',
  fields: [
    required(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    required(2, 'data_file', dataFile),
  ],
}

/** Iceberg specification, "Manifest Lists". */
export const manifestFileSchema: RecordSchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    required(500, 'manifest_path', 'string'),
    required(501, 'manifest_length', 'long'),
    required(502, 'partition_spec_id', 'int'),
    required(517, 'content', 'int'),
    required(515, 'sequence_number', 'long'),
    required(516, 'min_sequence_number', 'long'),
    required(503, 'added_snapshot_id', 'long'),
    required(504, 'added_files_count', 'int'),
    required(505, 'existing_files_count', 'int'),
    required(506, 'deleted_files_count', 'int'),
    required(512, 'added_rows_count', 'long'),
    required(513, 'existing_rows_count', 'long'),
    required(514, 'deleted_rows_count', 'long'),
  ],
}
