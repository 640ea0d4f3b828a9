import { describe, expect, it } from 'vitest'
import { readAvroFile } from '../../../../stored/iceberg/avro-file.ts'
import { listedManifests } from '../../../../stored/iceberg/manifests.ts'
import { takesEveryCase } from '../../../case-count.ts'
import { documents, TableTestbed } from '../table-testbed.ts'

interface Entry {
  readonly status: number
  readonly snapshot_id: number
  readonly sequence_number: number | null
  readonly data_file: Readonly<Record<string, unknown>>
}

const bodyOf = (testbed: TableTestbed, key: string) =>
  testbed.s3.objects.get(key.replace(/^s3:\/\/bucket\//, ''))?.body ?? Buffer.alloc(0)

/** The entries of the current Iceberg snapshot, with the numbers that the manifest list has about their manifest. */
function entriesOf(testbed: TableTestbed) {
  const list = bodyOf(testbed, testbed.metadata().snapshots.at(-1)?.['manifest-list'] ?? '')
  return listedManifests(list).map((manifest) => ({
    manifest: manifest as unknown as Readonly<Record<string, number>>,
    entries: readAvroFile<Entry>(bodyOf(testbed, manifest.manifest_path)),
  }))
}

describe('the files that a publication replaces', () => {
  it('are deleted entries of its snapshot, with the sequence number that they had', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 1
    await testbed.publishTable(documents(5))
    const [first] = testbed.metadata().snapshots
    const before = entriesOf(testbed).flatMap(({ entries }) => entries)
    expect(before.map(({ status }) => status)).toEqual([1, 1])
    await testbed.publishTable(documents(2))
    const second = testbed.metadata().snapshots.at(-1)
    const [added, deleted, ...others] = entriesOf(testbed)
    expect(others).toEqual([])
    expect(added?.entries.map(({ status }) => status)).toEqual([1])
    expect(deleted?.entries.map(({ data_file, ...entry }) => [entry, data_file['file_path']])).toEqual(
      before.map(({ data_file }) => [
        {
          status: 2,
          snapshot_id: second?.['snapshot-id'],
          sequence_number: first?.['sequence-number'],
          file_sequence_number: first?.['sequence-number'],
        },
        data_file['file_path'],
      ]),
    )
    expect(deleted?.manifest).toMatchObject({
      content: 0,
      sequence_number: 2,
      min_sequence_number: 1,
      added_snapshot_id: second?.['snapshot-id'],
      added_files_count: 0,
      existing_files_count: 0,
      deleted_files_count: 2,
      added_rows_count: 0,
      existing_rows_count: 0,
      deleted_rows_count: 5,
    })
    const bytes = before.reduce((sum, { data_file }) => sum + Number(data_file['file_size_in_bytes']), 0)
    expect(second?.summary).toMatchObject({
      'added-data-files': '1',
      'added-records': '2',
      'deleted-data-files': '2',
      'deleted-records': '5',
      'removed-files-size': String(bytes),
      'total-records': '2',
    })
  })

  it('are listed as deleted once', async () => {
    const testbed = new TableTestbed()
    for (const count of [1, 2, 3]) await testbed.publishTable(documents(count))
    const deleted = entriesOf(testbed).flatMap(({ entries }) => entries.filter(({ status }) => status === 2))
    expect(deleted.map(({ data_file }) => data_file['record_count'])).toEqual([2])
    expect(testbed.metadata().snapshots.at(-1)?.summary).toMatchObject({ 'deleted-records': '2' })
  })

  it('are deleted if the table has no rows from then on, and are none before that', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable([])
    expect(entriesOf(testbed)).toEqual([])
    await testbed.publishTable(documents(2))
    await testbed.publishTable([])
    expect(entriesOf(testbed).map(({ entries }) => entries.map(({ status }) => status))).toEqual([[2]])
    expect(testbed.metadata().snapshots.at(-1)?.summary).toMatchObject({
      'added-data-files': '0',
      'deleted-records': '2',
    })
  })

  it('have no bounds there, which are values of documents that may have to be erased', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(['{"id":"secret"}'])
    const [live] = entriesOf(testbed).flatMap(({ entries }) => entries)
    expect(live?.data_file['lower_bounds']).toEqual([{ key: 1, value: Buffer.from('secret') }])
    await testbed.publishTable(['{"id":"other"}'])
    const [, deleted] = entriesOf(testbed).flatMap(({ entries }) => entries)
    expect(deleted?.data_file).toMatchObject({
      lower_bounds: null,
      upper_bounds: null,
      value_counts: live?.data_file['value_counts'],
    })
  })

  it('do not stop the next publication if somebody has deleted the list or a manifest of them', async () => {
    for (const ending of ['-s.avro', '-m.avro']) {
      const testbed = new TableTestbed()
      await testbed.publishTable(documents(2))
      for (const key of testbed.keys('metadata/')) if (key.endsWith(ending)) testbed.s3.objects.delete(key)
      await testbed.publishTable(documents(3))
      expect(testbed.latest()).toMatchObject({ rows: 3 })
    }
  })
})

it.runIf(takesEveryCase())('the metrics of a data file are those of all of its row groups', async () => {
  const testbed = new TableTestbed()
  const { settings } = testbed
  testbed.settings = {
    ...settings,
    columns: [
      ...(settings.columns ?? []),
      { name: 'n', from: ['n'], type: { kind: 'double' } },
      { name: 'gone', from: ['gone'], type: { kind: 'long' } },
    ],
  }
  const count = 150_000
  testbed.publish(
    Array.from(
      { length: count },
      (_, at) => `{"id":"${at % 10}x${at}","n":${count - at}${at % 2 ? ',"city":"c"' : ''}}`,
    ),
    { pageSize: 100_000 },
  )
  await testbed.make()
  const [entry] = entriesOf(testbed).flatMap(({ entries }) => entries)
  const file = entry?.data_file ?? {}
  const offsets = file['split_offsets'] as readonly number[]
  expect(offsets).toHaveLength(2)
  expect(offsets[0]).toBe(4)
  const sizes = file['column_sizes'] as readonly { readonly value: number }[]
  expect(sizes.map(({ value }) => value > 0)).toEqual([true, true, true, true])
  const counts = (key: number, value: number) => ({ key, value })
  expect(file).toMatchObject({
    record_count: count,
    value_counts: [1, 2, 3, 4].map((key) => counts(key, count)),
    null_value_counts: [counts(1, 0), counts(2, count / 2), counts(3, 0), counts(4, count)],
  })
  const double = (value: number) => Buffer.from(new Float64Array([value]).buffer)
  expect(file['lower_bounds']).toEqual([
    { key: 1, value: Buffer.from('0x0') },
    { key: 2, value: Buffer.from('c') },
    { key: 3, value: double(1) },
  ])
  expect(file['upper_bounds']).toEqual([
    { key: 1, value: Buffer.from('9x99999') },
    { key: 2, value: Buffer.from('c') },
    { key: 3, value: double(count) },
  ])
})
