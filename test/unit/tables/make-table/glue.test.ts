import { describe, expect, it, vi } from 'vitest'
import { documents, hourMs, TableTestbed } from '../table-testbed.ts'

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

  it.each([
    ['no', 'AccessDeniedException'],
    ['The role is not authorized to perform: kms:Decrypt on resource: key', 'GlueEncryptionException'],
  ])(
    'that cannot be updated is logged and named in latest.json, and the table is published: %s',
    async (message, reason) => {
      const testbed = new TableTestbed()
      testbed.catalog.refusal = Object.assign(new Error(message), { name: 'AccessDeniedException' })
      await testbed.publishTable(documents(2))
      expect(testbed.latest()).toMatchObject({ rows: 2, glue: { state: 'failed', reason } })
      expect(testbed.logs).toContainEqual(
        expect.objectContaining({
          level: 'ERROR',
          message: 'Glue table not updated',
          fields: expect.objectContaining({ entity: 'CL' }),
        }),
      )
    },
  )

  it('is not in Glue since the first publication that could not be added', async () => {
    const testbed = new TableTestbed()
    testbed.catalog.refusal = new Error('no')
    await testbed.publishTable(documents(1))
    const since = testbed.latest()?.committedAt
    await testbed.make()
    expect(testbed.latest()?.glue).toMatchObject({ state: 'failed', since })
    await testbed.publishTable(documents(2))
    expect(testbed.latest()?.glue).toMatchObject({ state: 'failed', since })
    testbed.catalog.refusal = undefined
    await testbed.publishTable(documents(3))
    expect(testbed.latest()?.glue).toEqual({ state: 'current' })
    testbed.catalog.refusal = new Error('no')
    await testbed.publishTable(documents(4))
  })

  it.each([
    ['nothing', ['read', 'create', 'update', 'drop']],
    ['only reads', ['create', 'update', 'drop']],
  ])('keeps the files of the table that it names, as long as Glue allows %s', async (_, refused) => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, keepSnapshots: 1 }
    const named = await testbed.publishTable(documents(1))
    const location = testbed.latest()?.metadata ?? ''
    testbed.catalog.refusal = new Error('no')
    testbed.catalog.refused = refused
    for (let days = 1; days <= 4; days++) {
      testbed.now += 25 * hourMs
      await testbed.publishTable(documents(days + 1))
    }
    expect(tableOf(testbed)?.parameters['metadata_location']).toBe(`s3://bucket/${location}`)
    expect(testbed.keys()).toContain(location)
    // The data file, its manifest and the manifest list.
    expect(testbed.keys().filter((key) => key !== location && key.includes(named))).toHaveLength(3)
    testbed.catalog.refusal = undefined
    await testbed.publishTable(documents(6))
    testbed.now += 25 * hourMs
    await testbed.make()
    expect(testbed.keys().filter((key) => key.includes(named))).toEqual([])
  })

  it('keeps the files of the table that it names, although its update seemed to fail', async () => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, keepSnapshots: 1 }
    await testbed.publishTable(documents(1))
    const update = testbed.catalog.update.bind(testbed.catalog)
    testbed.catalog.update = async (...input) => {
      await update(...input)
      throw new Error('The response was lost.')
    }
    await testbed.publishTable(documents(2))
    const location = testbed.latest()?.metadata ?? ''
    testbed.catalog.update = update
    testbed.catalog.refusal = new Error('no')
    testbed.catalog.refused = ['update']
    for (let days = 1; days <= 3; days++) await testbed.publishTable(documents(3), 25 * hourMs)
    expect(tableOf(testbed)?.parameters['metadata_location']).toBe(`s3://bucket/${location}`)
    expect(testbed.keys()).toContain(location)
  })

  it('is read again after an update, so that the newest commit is followed', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    vi.spyOn(testbed.catalog, 'update').mockImplementationOnce(async (...input) => {
      // Glue accepts the update of the older commit first.
      const isUpdated = await testbed.catalog.update(...input)
      const table = tableOf(testbed)
      if (table) testbed.catalog.tables.set('cl', { ...table, columns: [] })
      return isUpdated
    })
    await testbed.commit(plan, chunks)
    expect(tableOf(testbed)?.columns).toHaveLength(2)
  })

  it('follows the newest commit, even if an older one updates it last', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    vi.spyOn(testbed.catalog, 'create').mockImplementationOnce(async (...input) => {
      await testbed.publishTable(documents(3))
      return testbed.catalog.create(...input)
    })
    await testbed.commit(plan, chunks)
    expect(tableOf(testbed)?.parameters['metadata_location']).toBe(
      `s3://bucket/${testbed.latest()?.metadata}`,
    )
    expect(testbed.latest()).toMatchObject({ rows: 3 })
  })
})
