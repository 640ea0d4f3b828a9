import { describe, expect, it } from 'vitest'
import { tableLatestKey } from '../../../../stored/tables/table.ts'
import { documents, entity, hourMs, string, TableTestbed } from '../table-testbed.ts'

describe('a commit', () => {
  it('that is repeated changes nothing and announces nothing again', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const { plan, chunks } = await testbed.writeChunks()
    await testbed.commit(plan, chunks)
    const writes = () => testbed.s3.versions.filter(({ key }) => key === tableLatestKey(entity))
    const before = writes()
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'published', rows: 3 })
    expect(writes()).toEqual(before)
    expect(testbed.events.filter(({ type }) => type === 'Table Published')).toHaveLength(1)
  })

  it('that stopped before its event is finished by the next plan', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const { plan, chunks } = await testbed.writeChunks()
    const stopping = testbed.commit(plan, chunks, (context) => ({
      ...context,
      catalog: { ...context.catalog, read: () => Promise.reject(new Error('killed')) } as never,
      publishEvent: () => Promise.reject(new Error('killed')),
    }))
    await stopping
    expect(testbed.latest()).toMatchObject({ announced: false, glue: { state: 'failed', reason: 'Error' } })
    expect(await testbed.make()).toMatchObject({ status: 'up-to-date' })
    expect(testbed.latest()).toMatchObject({ announced: true, glue: { state: 'current' } })
  })

  it('gives a new column an id that none had before, although the metadata of the table is gone', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(3))
    testbed.s3.objects.delete(testbed.latest()?.metadata ?? '')
    testbed.settings = { ...testbed.settings, columns: [string('id'), string('name')] }
    await testbed.publishTable(documents(3))
    expect(testbed.latest()?.columns).toMatchObject({ id: { id: 1 }, name: { id: 3 } })
  })

  it('never returns to an older run', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const older = await testbed.writeChunks()
    const newer = await testbed.publishTable(documents(5), hourMs)
    expect(await testbed.commit(older.plan, older.chunks)).toMatchObject({
      status: 'up-to-date',
      runId: newer,
    })
    expect(testbed.latest()).toMatchObject({ runId: newer, rows: 5 })
  })

  it('of two at once is outdated if the columns differ from its plan, and otherwise follows the other', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    testbed.publish(documents(3))
    const first = await testbed.writeChunks()
    const between = testbed.settings
    testbed.settings = { ...between, columns: [...(between.columns ?? []), string('name')] }
    expect(await testbed.commit(first.plan, first.chunks)).toMatchObject({ status: 'outdated' })
    testbed.settings = between
    expect(await testbed.commit(first.plan, first.chunks)).toMatchObject({ status: 'published' })
  })

  it.each(['writeFile', 'writeLatest'] as const)(
    'is outdated if another one comes between its reading and its writing: before %s',
    async (name) => {
      const testbed = new TableTestbed()
      await testbed.publishTable(documents(1))
      testbed.publish(documents(2))
      const one = await testbed.writeChunks()
      testbed.publish(documents(3), { afterMs: 1000 })
      const other = await testbed.writeChunks()
      let isFirst = true
      const result = await testbed.commit(one.plan, one.chunks, (context) => ({
        ...context,
        tables: {
          ...context.tables,
          async [name](...input: never[]) {
            if (isFirst) {
              isFirst = false
              expect(await testbed.commit(other.plan, other.chunks)).toMatchObject({ status: 'published' })
            }
            return (context.tables[name] as (...same: never[]) => unknown)(...input)
          },
        },
      }))
      expect(result).toMatchObject({ status: 'outdated' })
      expect(testbed.latest()).toMatchObject({ rows: 3 })
    },
  )

  it('needs every chunk once', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 10
    testbed.publish(documents(30), { pageSize: 1 })
    const { plan, chunks } = await testbed.writeChunks()
    const [first, second] = chunks as [(typeof chunks)[0], (typeof chunks)[0]]
    for (const wrong of [
      [first, second],
      [first, second, second],
    ])
      expect(await testbed.commit(plan, wrong)).toMatchObject({ status: 'failed' })
    const again = await testbed.write(plan, 2)
    expect(await testbed.commit(plan, [first, second, again])).toMatchObject({
      status: 'published',
      rows: 30,
    })
  })

  it('is outdated half a day after its plan, since the clean-up may take its files', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    testbed.now += 13 * hourMs
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'outdated' })
  })
})
