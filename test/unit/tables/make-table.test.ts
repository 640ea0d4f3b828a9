import { describe, expect, it } from 'vitest'
import { schemaChangesKey, schemaReportKey } from '../../../functions/state/snapshots/manifest.ts'
import { tableLatestKey } from '../../../functions/state/tables/table.ts'
import type { TableMetadata } from '../../../functions/tables/iceberg/metadata.ts'
import { runOf } from '../../../functions/tables/iceberg/metadata.ts'
import { readRows } from '../../simulation/tables/read-table.ts'
import { entity, string, TableTestbed } from './table-testbed.ts'

const documents = (count: number, from = 0) =>
  Array.from({ length: count }, (_, id) => `{"id":"${from + id}","city":"c${id % 3}"}`)
const hourMs = 3_600_000

const metadataOf = (testbed: TableTestbed): TableMetadata =>
  JSON.parse(testbed.s3.objects.get(testbed.latest()?.metadata ?? '')?.body.toString() ?? '')
const runsOf = (testbed: TableTestbed) => metadataOf(testbed).snapshots.map(runOf)

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
    expect(metadataOf(testbed).snapshots.at(-1)?.summary).toMatchObject({
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
    const plan = await testbed.plan()
    expect(plan.chunks).toHaveLength(3)
    const written = []
    for (const chunk of plan.chunks) written.push(await testbed.write(plan, chunk))
    expect(await testbed.commit(plan, written)).toMatchObject({ status: 'published', rows: 23 })
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
      fields: { TablesFailed: 1 },
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

describe('a commit', () => {
  const written = async (testbed: TableTestbed) => {
    const plan = await testbed.plan()
    return { plan, chunks: await Promise.all(plan.chunks.map((chunk) => testbed.write(plan, chunk))) }
  }

  it('that is repeated changes nothing and announces nothing again', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const { plan, chunks } = await written(testbed)
    await testbed.commit(plan, chunks)
    const before = testbed.latest()
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'published', rows: 3 })
    expect(testbed.latest()).toEqual(before)
    expect(testbed.events.filter(({ type }) => type === 'Table Published')).toHaveLength(1)
  })

  it('that stopped before its event is finished by the next plan', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const { plan, chunks } = await written(testbed)
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

  it('never returns to an older run', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(3))
    const older = await written(testbed)
    const newer = await testbed.publishTable(documents(5), hourMs)
    expect(await testbed.commit(older.plan, older.chunks)).toMatchObject({
      status: 'up-to-date',
      runId: newer,
    })
    expect(testbed.latest()).toMatchObject({ runId: newer, rows: 5 })
  })

  it('of two at once is outdated if the columns differ from its plan, and else takes its turn', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(1))
    testbed.publish(documents(3))
    const first = await written(testbed)
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
      const one = await written(testbed)
      testbed.publish(documents(3), { afterMs: 1000 })
      const other = await written(testbed)
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
    const { plan, chunks } = await written(testbed)
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
    const { plan, chunks } = await written(testbed)
    testbed.now += 13 * hourMs
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'outdated' })
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

  it('is none if the table of the run was committed before', async () => {
    const testbed = new TableTestbed()
    const runId = await testbed.publishTable(documents(2))
    const task = { task: 'record-table-failure', entity, runId, reason: 'lost' } as const
    expect(await testbed.invoke(task)).toMatchObject({ status: 'up-to-date', runId })
    expect(testbed.events.map(({ type }) => type)).toEqual(['Table Published'])
  })
})

describe('the files of a table', () => {
  it('of Iceberg snapshots beyond keepSnapshots are deleted a day after the commit that dropped them', async () => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, keepSnapshots: 2 }
    const [first, second, third] = [
      await testbed.publishTable(documents(1)),
      await testbed.publishTable(documents(2)),
      await testbed.publishTable(documents(3)),
    ]
    expect(runsOf(testbed)).toEqual([second, third])
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
    expect(runsOf(testbed)).toEqual([first, third, fourth, fifth])
    testbed.settings = { ...testbed.settings, keepSnapshots: 1 }
    const sixth = await testbed.publishTable(documents(6))
    expect(runsOf(testbed)).toEqual([fifth, sixth])
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

  it('of failed attempts are deleted a day later, also while tables fail', async () => {
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
    const plan = await testbed.plan()
    const written = [await testbed.write(plan, 0)]
    await testbed.commit(plan, written, ({ tables, ...context }) => ({
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

  it('are not committed any more once the table was removed', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(2))
    const plan = await testbed.plan()
    const written = [await testbed.write(plan, 0)]
    const { settings } = testbed
    let isRemoved = false
    const result = await testbed.commit(plan, written, ({ snapshots, ...context }) => ({
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
    const plan = await testbed.plan()
    const written = [await testbed.write(plan, 0)]
    let isFirst = true
    await testbed.commit(plan, written, (context) => ({
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
    const plan = await testbed.plan()
    const written = [await testbed.write(plan, 0)]
    let isFirst = true
    await testbed.commit(plan, written, (context) => ({
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

describe('the schema report', () => {
  it('is stored next to the snapshot, also of an entity without columns', async () => {
    const testbed = new TableTestbed()
    testbed.settings = { ...testbed.settings, columns: undefined }
    const runId = testbed.publish(documents(4))
    expect(await testbed.make()).toEqual({
      status: 'published',
      entity,
      runId,
      rows: 4,
      rejected: {},
      metadata: null,
    })
    const report = JSON.parse(
      testbed.s3.objects.get(`snapshots/${entity}/${runId}/schema.json`)?.body.toString() ?? '',
    )
    expect(report).toMatchObject({ version: 1, entity, runId, documents: 4 })
    expect(report.fields.map(({ path }: { path: string }) => path)).toEqual(['city', 'id'])
    expect(testbed.s3.objects.has(tableLatestKey(entity))).toBe(false)
    expect(await testbed.make()).toEqual({ status: 'up-to-date', entity, runId })
  })

  it('names fields that are new or gone, once', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(20))
    const runId = testbed.publish(documents(20).map((line) => line.replace('city', 'town')))
    const plan = await testbed.plan()
    const written = [await testbed.write(plan, 0)]
    await testbed.commit(plan, written)
    await testbed.commit(plan, written)
    const changes = { entity, runId, added: ['town'], removed: ['city'], retyped: [] }
    expect(testbed.events.filter(({ type }) => type === 'Schema Changed')).toEqual([
      { type: 'Schema Changed', detail: changes },
    ])
    const stored = testbed.s3.objects.get(schemaChangesKey(entity, runId))?.body.toString() ?? ''
    expect(JSON.parse(stored)).toEqual({ version: 1, ...changes })
    const unchanged = await testbed.publishTable(documents(21).map((line) => line.replace('city', 'town')))
    expect(testbed.s3.objects.has(schemaReportKey(entity, unchanged))).toBe(true)
    expect(testbed.s3.objects.has(schemaChangesKey(entity, unchanged))).toBe(false)
  })
})

describe('what eraseWithinDays demands', () => {
  it('removes every version of the files of old snapshots, and keeps the published one', async () => {
    const testbed = new TableTestbed()
    const runs: string[] = []
    for (let day = 0; day < 12; day++) runs.push(await testbed.publishTable(documents(day)))
    await testbed.erase(8)
    const old = runs.slice(0, 6)
    const versions = testbed.s3.versions.map(({ key }) => key).filter((key) => key.startsWith('iceberg/'))
    expect(versions.filter((key) => old.some((run) => key.includes(run)))).toEqual([])
    expect(runsOf(testbed)).toEqual(runs.slice(-6))
    expect(tableLocation(testbed)).toBe(testbed.latest()?.metadata)
  })

  it('empties the table while tables fail, and erases the files of failed attempts', async () => {
    const testbed = new TableTestbed()
    const first = await testbed.publishTable(documents(3))
    for (let day = 0; day < 12; day++) {
      testbed.publish(documents(3), { uniqueIds: 4 })
      await testbed.make()
      await testbed.erase(8)
    }
    expect(testbed.s3.versions.filter(({ key }) => key.includes(`data/${first}/`))).toEqual([])
    expect(testbed.latest()).toMatchObject({ runId: first, rows: 0 })
    expect(metadataOf(testbed)).not.toHaveProperty('current-snapshot-id')
    expect(tableLocation(testbed)).toBe(testbed.latest()?.metadata)
    await testbed.publishTable(documents(2))
    expect(testbed.latest()).toMatchObject({ rows: 2, columns: { id: { id: 1 } } })
  })
})

const tableLocation = ({ catalog }: TableTestbed) =>
  catalog.tables.get('cl')?.parameters['metadata_location']?.slice('s3://bucket/'.length)
