import { describe, expect, it } from 'vitest'
import { schemaChangesKey, schemaReportKey } from '../../../../stored/snapshots/manifest.ts'
import { tableLatestKey } from '../../../../stored/tables/table.ts'
import { documents, entity, hourMs, TableTestbed } from '../table-testbed.ts'

/** An entity whose report is made, without a table. */
function reportOnly() {
  const testbed = new TableTestbed()
  testbed.settings = { ...testbed.settings, columns: undefined }
  return testbed
}

describe('the schema report', () => {
  it('is stored next to the snapshot, also of an entity without columns', async () => {
    const testbed = reportOnly()
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

  it('is not made once it is turned off', async () => {
    const testbed = reportOnly()
    const runId = testbed.publish(documents(4))
    const { plan, chunks } = await testbed.writeChunks()
    testbed.settings = { ...testbed.settings, schemaReport: false }
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'outdated' })
    expect(testbed.s3.objects.has(schemaReportKey(entity, runId))).toBe(false)
  })

  it('leaves nothing of what it was made from after two days', async () => {
    const testbed = reportOnly()
    const first = await testbed.publishTable(documents(4))
    expect(testbed.keys(`work/${first}`).length).toBeGreaterThan(0)
    await testbed.publishTable(documents(4), 48 * hourMs)
    expect(testbed.keys(`work/${first}`)).toEqual([])
  })

  it('can be made by one of two tasks that plan it at once', async () => {
    const testbed = reportOnly()
    testbed.publish(documents(4))
    const { plan, chunks } = await testbed.writeChunks()
    await testbed.plan()
    expect(await testbed.commit(plan, chunks)).toMatchObject({ status: 'published', rows: 4 })
  })

  it('is compared with none of a newer snapshot if it is late', async () => {
    const testbed = new TableTestbed()
    testbed.publish(documents(20))
    const late = await testbed.writeChunks()
    await testbed.publishTable(
      documents(20).map((line) => line.replace('city', 'town')),
      hourMs,
    )
    await testbed.commit(late.plan, late.chunks)
    expect(testbed.events.map(({ type }) => type)).toEqual(['Table Published'])
  })

  it('names fields that are new or gone, once', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(documents(20))
    const runId = testbed.publish(documents(20).map((line) => line.replace('city', 'town')))
    const { plan, chunks } = await testbed.writeChunks()
    await testbed.commit(plan, chunks)
    await testbed.commit(plan, chunks)
    const counts = { added: 1, removed: 1, retyped: 0 }
    const changes = { entity, runId, added: ['town'], removed: ['city'], retyped: [], counts }
    expect(testbed.events.filter(({ type }) => type === 'Schema Changed')).toEqual([
      { type: 'Schema Changed', detail: { ...changes, report: schemaReportKey(entity, runId) } },
    ])
    const stored = testbed.s3.objects.get(schemaChangesKey(entity, runId))?.body.toString() ?? ''
    expect(JSON.parse(stored)).toEqual({ version: 1, ...changes, types: {} })
    const unchanged = await testbed.publishTable(documents(21).map((line) => line.replace('city', 'town')))
    expect(testbed.s3.objects.has(schemaReportKey(entity, unchanged))).toBe(true)
    expect(testbed.s3.objects.has(schemaChangesKey(entity, unchanged))).toBe(false)
  })
  it('is not compared with one of an earlier version that took wide documents for maps', async () => {
    const testbed = new TableTestbed()
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, at])))
    const lines = documents(20).map((line) => `${line.slice(0, -1)},${wide.slice(1)}`)
    const key = schemaReportKey(entity, await testbed.publishTable(lines))
    const report = JSON.parse(testbed.s3.objects.get(key)?.body.toString() ?? '')
    testbed.overwrite(key, JSON.stringify({ ...report, fields: [{ ...report.fields[0], path: '*' }] }))
    await testbed.publishTable(lines)
    expect(testbed.events.filter(({ type }) => type === 'Schema Changed')).toEqual([])
  })
})
