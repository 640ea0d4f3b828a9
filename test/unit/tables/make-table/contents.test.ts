import { describe, expect, it } from 'vitest'
import { readRows } from '../../../simulation/tables/read-table.ts'
import { documents, entity, TableTestbed } from '../table-testbed.ts'

describe('the table of a published snapshot', () => {
  it('is committed with its rows, columns and rejected values, and announced', async () => {
    const testbed = new TableTestbed()
    const runId = testbed.publish(['{"id":"a","city":"x"}', '{"id":"b","city":{}}'])
    const { metadata = '' } = (await testbed.make()) as { metadata?: string }
    expect(testbed.latest()).toMatchObject({
      runId,
      metadata,
      rows: 2,
      rejected: { city: 1 },
      columns: {
        id: { id: 1, type: 'string', from: ['id'] },
        city: { id: 2, type: 'string', from: ['city'] },
      },
      announced: true,
      glue: { state: 'current' },
    })
    expect(testbed.events).toEqual([
      { type: 'Table Published', detail: { entity, runId, rows: 2, rejected: { city: 1 }, metadata } },
    ])
    expect(testbed.metadata().snapshots.at(-1)?.summary).toMatchObject({
      operation: 'overwrite',
      'longshore.run-id': runId,
      'longshore.proof': 'exact',
      'longshore.rejected.city': '1',
      'total-records': '2',
    })
  })

  it('is made of chunks that are written in any order', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 10
    testbed.publish(documents(35), { pageSize: 1 })
    const plan = await testbed.plan()
    expect(plan.chunks).toEqual([0, 1, 2, 3])
    const written = []
    for (const chunk of [2, 0, 3, 1]) written.push(await testbed.write(plan, chunk))
    expect(await testbed.commit(plan, written)).toMatchObject({ status: 'published', rows: 35 })
    expect(testbed.keys('data/')).toHaveLength(4)
  })

  it('has no rows and no files if the snapshot has no documents', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable([])
    expect(testbed.latest()).toMatchObject({ rows: 0 })
    expect(testbed.keys('data/')).toEqual([])
  })

  it('has the last document of each id, and documents without an id once, across chunks', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 10
    const lines = documents(21)
    const again = ['1', 'last'].map((city) => `{"id":"0","city":"${city}"}`)
    const repeated = ['{"city":"none"}', ...lines, ...again, '{"city":"none"}', '{"id":0}']
    testbed.publish(repeated, { pageSize: 1, uniqueIds: 23 })
    const { plan, chunks } = await testbed.writeChunks()
    expect(chunks).toHaveLength(3)
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'published', rows: 23 })
    const rows = await readRows(testbed.s3, testbed.keys('data/'), testbed.latest()?.columns ?? {})
    const others = lines.slice(1).map((_, at) => `["${at + 1}","c${(at + 1) % 3}"]`)
    expect(rows).toEqual([...others, '["0","last"]', '["0",null]', '[null,"none"]'].toSorted())
  })

  it('counts the rejected values of all chunks', async () => {
    const testbed = new TableTestbed()
    testbed.pagesOfChunk = 1
    testbed.publish(['{"id":"a","city":{}}', '{"id":"b","city":[]}', '{"id":"c","city":"x"}'], {
      pageSize: 1,
    })
    expect(await testbed.make()).toMatchObject({ status: 'published', rejected: { city: 2 } })
    expect(testbed.latest()).toMatchObject({ rejected: { city: 2 } })
  })

  it('is not made of a snapshot whose unique ids differ from its rows, and stays as it was', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(2))
    const before = testbed.latest()
    const runId = testbed.publish(documents(3), { uniqueIds: 2 })
    const reason = 'The table would have 3 rows; the snapshot has 2 unique ids.'
    expect(await testbed.make()).toEqual({ status: 'failed', entity, runId, reason })
    expect(testbed.latest()).toEqual(before)
    expect(testbed.events.at(-1)).toEqual({ type: 'Table Failed', detail: { entity, runId, reason } })
    expect(testbed.logs.at(-1)).toMatchObject({
      level: 'WARN',
      message: 'table ended',
      fields: { status: 'failed' },
    })
    await testbed.publishTable(documents(4))
    expect(testbed.latest()).toMatchObject({ rows: 4 })
  })

  it('fails if a page is damaged, without a retry', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const plan = await testbed.plan()
    const page = [...testbed.s3.objects.keys()].find((key) => key.endsWith('.ndjson.gz')) ?? ''
    testbed.s3.objects.delete(page)
    const written = [await testbed.write(plan, 0)]
    expect(written).toEqual([{ status: 'failed', reason: `The object ${page} is missing.` }])
    expect(await testbed.commit(plan, written)).toMatchObject({
      status: 'failed',
      reason: `The object ${page} is missing.`,
    })
  })
})

describe('what the state machine caught', () => {
  it('is a failed table with its reason', async () => {
    const testbed = new TableTestbed()
    const runId = testbed.publish(documents(2))
    const task = { task: 'record-table-failure', entity, runId, reason: 'The table stopped (X): y' } as const
    expect(await testbed.invoke(task)).toMatchObject({ status: 'failed', runId, reason: task.reason })
    expect(testbed.events).toEqual([{ type: 'Table Failed', detail: { entity, runId, reason: task.reason } }])
  })

  it('is none if the table of the run or of a newer one was committed before', async () => {
    const testbed = new TableTestbed()
    const older = testbed.publish(documents(1))
    const runId = await testbed.publishTable(documents(2))
    for (const failed of [older, runId]) {
      const task = { task: 'record-table-failure', entity, runId: failed, reason: 'lost' } as const
      expect(await testbed.invoke(task)).toMatchObject({ status: 'up-to-date', runId })
    }
    expect(testbed.events.map(({ type }) => type)).toEqual(['Table Published'])
  })
})
