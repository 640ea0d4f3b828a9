import { expect, it } from 'vitest'
import { avroFile, readAvroFile } from '../../../../stored/iceberg/avro-file.ts'
import { deletedManifest, liveFiles } from '../../../../stored/iceberg/manifests.ts'

const schema = { type: 'struct', 'schema-id': 0, fields: [] } as const

it('the files of a manifest without metrics, as earlier versions wrote it, can be deleted', () => {
  const long = (name: string) => ({ name, type: ['null', 'long'], default: null })
  const written = avroFile(
    {
      type: 'record',
      name: 'manifest_entry',
      fields: [
        { name: 'status', type: 'int' },
        long('snapshot_id'),
        long('sequence_number'),
        long('file_sequence_number'),
        {
          name: 'data_file',
          type: {
            type: 'record',
            name: 'r2',
            fields: [
              { name: 'content', type: 'int' },
              { name: 'file_path', type: 'string' },
              { name: 'file_format', type: 'string' },
              { name: 'partition', type: { type: 'record', name: 'r102', fields: [] } },
              { name: 'record_count', type: 'long' },
              { name: 'file_size_in_bytes', type: 'long' },
            ],
          },
        },
      ],
    },
    [
      {
        status: 1,
        snapshot_id: 7,
        sequence_number: null,
        file_sequence_number: null,
        data_file: {
          content: 0,
          file_path: 's3://bucket/a.parquet',
          file_format: 'PARQUET',
          partition: {},
          record_count: 10,
          file_size_in_bytes: 300,
        },
      },
    ],
    {},
  )
  const [entry] = readAvroFile(deletedManifest(schema, 8, liveFiles(written, 3)))
  expect(entry).toMatchObject({
    status: 2,
    snapshot_id: 8,
    sequence_number: 3,
    file_sequence_number: 3,
    data_file: {
      file_path: 's3://bucket/a.parquet',
      record_count: 10,
      value_counts: null,
      lower_bounds: null,
    },
  })
})
