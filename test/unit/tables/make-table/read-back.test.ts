import { describe, expect, it } from 'vitest'
import type { TableContext } from '../../../../functions/tables/context.ts'
import { checkLocation } from '../../../../stored/glue/check-location.ts'
import { avroFile, readAvroFile } from '../../../../stored/iceberg/avro-file.ts'
import { manifestFileSchema } from '../../../../stored/iceberg/manifest-schemas.ts'
import { liveFiles, manifestFile, manifestList } from '../../../../stored/iceberg/manifests.ts'
import { type ContextChange, documents, TableTestbed } from '../table-testbed.ts'

type Tables = TableContext['tables']

/** Another store of tables. */
const storing =
  (change: (tables: Tables) => Partial<Tables>): ContextChange =>
  (context) => ({ ...context, tables: { ...context.tables, ...change(context.tables) } })

/** What is stored in place of a file with this name. */
const replacing = (name: RegExp, body: (body: Buffer) => Uint8Array): ContextChange =>
  storing(({ writeFile }) => ({
    writeFile: (key, written) => writeFile(key, name.test(key) ? body(Buffer.from(written)) : written),
  }))

/** The snapshot has two pages, which are gone once the file is written. */
const readingTwoPages = ({ readObject }: Tables): Partial<Tables> => {
  let reads = 0
  return { readObject: async (key) => (key.endsWith('.gz') && ++reads > 2 ? undefined : readObject(key)) }
}

/** A manifest that has another value for its file. */
const withEntry = (change: object) => (manifest: Buffer) => {
  const file = liveFiles(manifest, 1)[0]?.file
  const { record_count: rows = 0, file_path: address = '', file_size_in_bytes: bytes = 0 } = file ?? {}
  const schema = { type: 'struct', 'schema-id': 0, fields: [] } as const
  const metrics = { ...file, ...change } as unknown as Parameters<typeof manifestFile>[1]['metrics']
  return manifestFile(schema, { snapshotId: 1, file: { address, bytes }, rows, metrics })
}

const withListed = (change: object) => (list: Buffer) =>
  avroFile(
    manifestFileSchema,
    readAvroFile<object>(list).map((listed) => ({ ...listed, ...change })),
    {},
  )

const emptyList = manifestList({ snapshotId: 1, parentId: undefined, sequenceNumber: 1 }, [])

const withSwappedFields = ({ writeJson }: Tables): Partial<Tables> => ({
  writeJson(key, value) {
    const text = JSON.stringify(value)
    const swapped = text
      .replace('{"id":1,', '{"id":0,')
      .replace('{"id":2,', '{"id":1,')
      .replace('{"id":0,', '{"id":2,')
    return writeJson(key, key.endsWith('.metadata.json') ? (JSON.parse(swapped) as object) : value)
  },
})

/** What is stored in place of the table's first object of a folder, or of the evidence, once its chunks are written. */
const replacedLater =
  (folder: string, body: (body: Buffer) => Buffer) =>
  (testbed: TableTestbed): ContextChange => {
    const isWanted = (key: string) =>
      folder ? key.startsWith(`iceberg/CL/${folder}`) : key.endsWith('evidence.json')
    for (const [key, object] of testbed.s3.objects)
      if (isWanted(key)) testbed.s3.objects.set(key, { body: body(object.body), etag: '"replaced"' })
    return (context) => context
  }

/** Nothing that readers follow has changed. */
function expectNoTable(testbed: TableTestbed) {
  expect(testbed.latest()).toBeUndefined()
  expect(testbed.events.map(({ type }) => type)).not.toContain('Table Published')
}

describe('a table that is read back before its commit', () => {
  it.each<[what: string, writing: ContextChange, reason: RegExp]>([
    ['a file is stored with other bytes', replacing(/parquet$/, () => Buffer.from('PAR1')), /cannot be read/],
    [
      'a manifest has other rows',
      replacing(/-m.avro$/, withEntry({ record_count: 4 })),
      /rows in its manifest: 4; it needs 5/,
    ],
    ['a page is gone', storing(readingTwoPages), /no object; it needs/],
  ])('fails in its chunk if %s', async (...row) => {
    const [, writing, reason] = row
    const testbed = new TableTestbed()
    testbed.publish(documents(5))
    const plan = await testbed.plan()
    const written = await testbed.write(plan, 0, writing)
    expect(written).toEqual({ status: 'failed', reason: expect.stringMatching(reason) })
    expect(await testbed.commit(plan, [written])).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(reason),
    })
    expectNoTable(testbed)
  })

  it.each<[what: string, change: (testbed: TableTestbed) => ContextChange, reason: RegExp]>([
    ['a file was replaced later', replacedLater('data/', () => Buffer.from('PAR1')), /parquet: 4; it needs/],
    [
      'a manifest was replaced later',
      replacedLater('metadata/', withEntry({ record_count: 6 })),
      /manifest: 6; it needs 5/,
    ],
    [
      'a file is not listed',
      () => replacing(/-s.avro$/, () => emptyList),
      /data files in its manifests: 0; it needs 1/,
    ],
    [
      'a manifest is listed as deletes',
      () => replacing(/-s.avro$/, withListed({ content: 1 })),
      /content of .* in its list: 1; it needs 0/,
    ],
    [
      'a manifest is listed without files',
      () => replacing(/-s.avro$/, withListed({ added_files_count: 0 })),
      /files of .* in its list: 0; it needs 1/,
    ],
    [
      'two field ids are swapped',
      () => storing(withSwappedFields),
      /schema: \[\[2,"id","string"\],.*; it needs \[\[1,"id"/,
    ],
    [
      'the evidence was changed',
      replacedLater('', () => Buffer.from('{}')),
      /evidence.json is not what was stored/,
    ],
  ])('fails if %s', async (...row) => {
    const [, change, matching] = row
    const testbed = new TableTestbed()
    testbed.publish(documents(5))
    const { plan, chunks } = await testbed.writeChunks()
    const reason = expect.stringMatching(matching)
    expect(await testbed.commit(plan, chunks, change(testbed))).toMatchObject({ status: 'failed', reason })
    expectNoTable(testbed)
  })

  it('fails if its ids are not those of the snapshot', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(5), { counted: documents(6).slice(1) })
    const reason = expect.stringMatching(/sum of ids: \d{9,}; it needs \d{9,}/)
    expect(await testbed.make()).toMatchObject({ status: 'failed', reason })
    expectNoTable(testbed)
  })

  it('fails if a repeated id was left out for a line that has another one', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 1
    testbed.publish([...documents(2), ...documents(2)], { pageSize: 1, uniqueIds: 2 })
    const exchanged = storing(({ writeJson }) => ({
      writeJson: (key, value) =>
        writeJson(key, JSON.parse(JSON.stringify(value).replace('[0,0,2,0]', '[0,0,3,0]')) as object),
    }))
    expect(await testbed.make(exchanged)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/sum of repeated ids: \d{9,}; it needs 0/),
    })
    expect(await testbed.make()).toMatchObject({ status: 'published', rows: 2 })
  })

  it('is repeated, and not committed, while it cannot be read', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(5))
    const away = new Error('S3 is away.')
    const unread = storing(() => ({ readStored: () => Promise.reject(away) }))
    const unlisted = storing(() => ({
      listData: () => {
        throw away
      },
    }))
    const plan = await testbed.plan()
    await expect(testbed.write(plan, 0, unread)).rejects.toThrow(away)
    const written = await testbed.write(plan, 0)
    await expect(testbed.commit(plan, [written], unlisted)).rejects.toThrow(away)
    expectNoTable(testbed)
    expect(await testbed.commit(plan, [written])).toMatchObject({ status: 'published', rows: 5 })
  })

  it('is compared by its counts if an earlier release published the snapshot', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(5), { counted: null })
    expect(await testbed.make()).toMatchObject({ status: 'published', rows: 5 })
  })

  it('is planned again if an earlier version wrote one of its chunks', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(5))
    const plan = await testbed.plan()
    const written = await testbed.write(
      plan,
      0,
      storing(({ writeJson }) => ({
        writeJson: (key, value) => writeJson(key, { ...value, checked: undefined }),
      })),
    )
    expect(await testbed.commit(plan, [written])).toMatchObject({ status: 'outdated' })
    expectNoTable(testbed)
  })
})

it.each([null, 's3://bucket/other'])('Glue must name the metadata that was committed, not %s', (found) => {
  expect(checkLocation('s3://bucket/1', 's3://bucket/1')).toBe('s3://bucket/1')
  expect(() => checkLocation(found, 's3://bucket/1')).toThrow(
    `Glue names ${found}; s3://bucket/1 is committed.`,
  )
})
