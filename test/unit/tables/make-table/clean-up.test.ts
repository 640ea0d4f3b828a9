import { describe, expect, it } from 'vitest'
import { callsOf, withCall } from '../../store-calls.ts'
import { documents, entity, hourMs, TableTestbed } from '../table-testbed.ts'

describe('the files of a table', () => {
  it('of Iceberg snapshots beyond keepSnapshots are deleted a day after the commit that dropped them', async () => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, keepSnapshots: 2 }
    const [first, second, third] = [
      await testbed.publishTable(documents(1)),
      await testbed.publishTable(documents(2)),
      await testbed.publishTable(documents(3)),
    ]
    expect(testbed.runs()).toEqual([second, third])
    expect(testbed.latest()?.dropped.map(({ runId }) => runId)).toEqual([first])
    expect(testbed.keys(`data/${first}/`)).toHaveLength(1)
    testbed.now += 23 * hourMs
    await testbed.make()
    expect(testbed.keys(`data/${first}/`)).toHaveLength(1)
    testbed.now += 2 * hourMs
    await testbed.make()
    expect(testbed.keys().filter((key) => key.includes(first))).toEqual([])
    expect(testbed.keys(`data/${second}/`)).toHaveLength(1)
  })

  it('of Iceberg snapshots are kept with their published snapshots, and those of the replaced one always', async () => {
    const testbed = new TableTestbed()
    const runs: string[] = []
    for (let day = 0; day < 4; day++) runs.push(await testbed.publishTable(documents(day)))
    const [first = '', second = '', third = '', fourth = ''] = runs
    for (const key of testbed.s3.objects.keys())
      if (key.startsWith(`snapshots/${entity}/${second}/`)) testbed.s3.objects.delete(key)
    const fifth = await testbed.publishTable(documents(5))
    expect(testbed.runs()).toEqual([first, third, fourth, fifth])
    testbed.settings = { ...testbed.settings, keepSnapshots: 1 }
    const sixth = await testbed.publishTable(documents(6))
    expect(testbed.runs()).toEqual([fifth, sixth])
    for (const key of testbed.s3.objects.keys())
      if (key.startsWith(`snapshots/${entity}/${sixth}/`)) testbed.s3.objects.delete(key)
    const seventh = await testbed.publishTable(documents(7))
    expect(testbed.runs()).toEqual([sixth, seventh])
  })

  it('of an Iceberg snapshot that an earlier commit of the same day dropped stay for that day', async () => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, keepSnapshots: 2 }
    const [first] = [await testbed.publishTable(documents(1)), await testbed.publishTable(documents(2))]
    await testbed.publishTable(documents(3))
    await testbed.publishTable(documents(4), hourMs)
    expect(testbed.runs()).not.toContain(first)
    expect(testbed.latest()?.dropped).toHaveLength(2)
    expect(testbed.keys(`data/${first}/`)).toHaveLength(1)
    await testbed.publishTable(documents(5), 25 * hourMs)
    expect(testbed.latest()?.dropped).toHaveLength(1)
  })

  it('of an attempt that is still being repeated are deleted a day after the last one', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    const failed = testbed.publish(documents(3))
    const plan = await testbed.plan()
    await testbed.write(plan, 0)
    testbed.now += 20 * hourMs
    const late = await testbed.write(plan, 0)
    testbed.now += 5 * hourMs
    await testbed.commit(plan, [{ status: 'failed', reason: `after ${late.status}` }])
    expect(testbed.keys(`data/${failed}/`)).toHaveLength(2)
  })

  it('of failed attempts are deleted a day later, even while tables fail', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    const failed = testbed.publish(documents(3), { uniqueIds: 4 })
    await testbed.make()
    const kept = testbed.keys(`data/${failed}/`)
    expect(kept).toHaveLength(1)
    testbed.publish(documents(3), { uniqueIds: 4, afterMs: 23 * hourMs })
    await testbed.make()
    expect(testbed.keys(`data/${failed}/`)).toEqual(kept)
    testbed.publish(documents(3), { uniqueIds: 4, afterMs: 2 * hourMs })
    await testbed.make()
    expect(testbed.keys().filter((key) => key.includes(failed))).toEqual([])
  })

  it('of a chunk that was repeated or ended after the commit are deleted a day later, those of the table never', async () => {
    const testbed = new TableTestbed()
    const runId = testbed.publish(documents(2))
    const plan = await testbed.plan()
    const written = await testbed.write(plan, 0)
    await testbed.write(plan, 0)
    await testbed.commit(plan, [written])
    await testbed.write(plan, 0)
    expect(testbed.keys(`data/${runId}/`)).toHaveLength(3)
    testbed.now += 25 * hourMs
    await testbed.make()
    expect(testbed.keys(`data/${runId}/`)).toHaveLength(1)
    expect(testbed.keys('work/')).toEqual([])
    expect(testbed.keys('metadata/')).toHaveLength(3)
  })

  it('that a commit replaced are kept for a day from when it took effect', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    const replaced = testbed.latest()?.metadata ?? ''
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    await testbed.commit(plan, chunks, ({ tables, ...context }) => ({
      ...context,
      tables: {
        ...tables,
        writeLatest(...input) {
          testbed.now += hourMs / 5
          return tables.writeLatest(...input)
        },
      },
    }))
    testbed.now += 23.7 * hourMs
    await testbed.make()
    expect(testbed.keys()).toContain(replaced)
    testbed.now += hourMs
    await testbed.make()
    expect(testbed.keys()).not.toContain(replaced)
  })

  it('are no longer committed once the table was removed', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(2))
    const { plan, chunks } = await testbed.writeChunks()
    const { settings } = testbed
    let isRemoved = false
    const result = await testbed.commit(plan, chunks, ({ snapshots, ...context }) => ({
      ...context,
      snapshots: {
        ...snapshots,
        async *listRuns(...input) {
          testbed.settings = { ...settings, columns: undefined }
          await testbed.make()
          isRemoved = testbed.keys('data/').length === 0
          yield* snapshots.listRuns(...input)
        },
      },
    }))
    expect(isRemoved).toBe(true)
    expect(result).toMatchObject({ status: 'outdated' })
    expect(testbed.latest()).toBeUndefined()
  })

  it('are removed without columns, also from Glue while an earlier publication follows its table there', async () => {
    const prepared = () => {
      const testbed = new TableTestbed()
      testbed.publish(documents(2))
      return { testbed, stores: { catalog: testbed.catalog } }
    }
    const undisturbed = prepared()
    const calls = await callsOf(undisturbed.stores, () => undisturbed.testbed.make())
    for (let call = 1; call <= calls; call++) {
      const { testbed, stores } = prepared()
      const remove = () => {
        testbed.settings = { ...testbed.settings, columns: undefined, schemaReport: false }
        return testbed.make()
      }
      await withCall(stores, { call, happens: { kind: 'rival', work: remove } }, () => testbed.make())
      testbed.publish(documents(2))
      await remove()
      expect([...testbed.keys(), ...testbed.catalog.tables.keys()]).toEqual([])
    }
  })

  it('are removed at the next publication without columns, and from Glue', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(2))
    testbed.settings = { ...testbed.settings, columns: undefined, schemaReport: false }
    testbed.catalog.refusal = new Error('denied')
    testbed.publish(documents(2))
    expect(await testbed.make()).toEqual({ status: 'off', entity })
    expect(testbed.latest()).toBeDefined()
    testbed.catalog.refusal = undefined
    expect(await testbed.make()).toEqual({ status: 'off', entity })
    expect(testbed.keys()).toEqual([])
    expect(testbed.catalog.tables.size).toBe(0)
    const calls = testbed.catalog.calls.length
    await testbed.make()
    expect(testbed.catalog.calls).toHaveLength(calls)
  })
})
