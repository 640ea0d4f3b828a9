import { describe, expect, it } from 'vitest'
import { documents, TableTestbed } from '../table-testbed.ts'

describe('the table in Glue', () => {
  const tableOf = ({ catalog }: TableTestbed) => catalog.tables.get('cl')

  it('has the columns of the table and where its metadata is', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(2))
    expect(tableOf(testbed)).toMatchObject({
      location: 's3://bucket/iceberg/CL',
      columns: [{ name: 'id', type: 'string', parameters: { 'iceberg.field.id': '1' } }, { name: 'city' }],
      parameters: { table_type: 'ICEBERG', metadata_location: `s3://bucket/${testbed.latest()?.metadata}` },
    })
    const before = testbed.latest()?.metadata
    await testbed.publishTable(documents(3))
    expect(tableOf(testbed)?.parameters).toMatchObject({
      previous_metadata_location: `s3://bucket/${before}`,
    })
  })

  it.each([
    ['deleted it', (testbed: TableTestbed) => testbed.catalog.tables.clear()],
    [
      'committed to it',
      (testbed: TableTestbed) => {
        const table = tableOf(testbed)
        const parameters = { ...table?.parameters, metadata_location: 's3://elsewhere/x.metadata.json' }
        if (table) testbed.catalog.tables.set('cl', { ...table, parameters, columns: [], version: '77' })
      },
    ],
  ])('is repaired by the next task after somebody %s', async (_, damage) => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(2))
    const { version: _before, ...wanted } = tableOf(testbed) ?? {}
    damage(testbed)
    expect(await testbed.make()).toMatchObject({ status: 'up-to-date' })
    expect(tableOf(testbed)).toMatchObject({
      ...wanted,
      parameters: expect.objectContaining({ metadata_location: `s3://bucket/${testbed.latest()?.metadata}` }),
    })
  })

  it('that cannot be updated is logged with a metric and named in latest.json, and the table is published', async () => {
    const testbed = new TableTestbed()
    testbed.catalog.refusal = Object.assign(new Error('no'), { name: 'AccessDeniedException' })
    await testbed.publishTable(documents(2))
    expect(testbed.latest()).toMatchObject({
      rows: 2,
      glue: { state: 'failed', reason: 'AccessDeniedException' },
    })
    expect(testbed.logs).toContainEqual(
      expect.objectContaining({
        level: 'ERROR',
        message: 'Glue table not updated',
        fields: expect.objectContaining({ GlueFailures: 1 }),
      }),
    )
  })

  it('is read again after an update, so that the newest commit is followed', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    let isFirst = true
    await testbed.commit(plan, chunks, (context) => ({
      ...context,
      catalog: {
        read: (name) => testbed.catalog.read(name),
        create: (...input) => testbed.catalog.create(...input),
        drop: (name) => testbed.catalog.drop(name),
        async update(...input) {
          if (isFirst) {
            isFirst = false
            // Glue accepts the update of the older commit first.
            const isUpdated = await testbed.catalog.update(...input)
            const table = tableOf(testbed)
            if (table) testbed.catalog.tables.set('cl', { ...table, columns: [] })
            return isUpdated
          }
          return testbed.catalog.update(...input)
        },
      },
    }))
    expect(tableOf(testbed)?.columns).toHaveLength(2)
  })

  it('follows the newest commit, even if an older one updates it last', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    let isFirst = true
    await testbed.commit(plan, chunks, (context) => ({
      ...context,
      catalog: {
        read: (name) => testbed.catalog.read(name),
        update: (...input) => testbed.catalog.update(...input),
        drop: (name) => testbed.catalog.drop(name),
        async create(...input) {
          if (isFirst) {
            isFirst = false
            await testbed.publishTable(documents(3))
          }
          return testbed.catalog.create(...input)
        },
      },
    }))
    expect(tableOf(testbed)?.parameters['metadata_location']).toBe(
      `s3://bucket/${testbed.latest()?.metadata}`,
    )
    expect(testbed.latest()).toMatchObject({ rows: 3 })
  })
})
