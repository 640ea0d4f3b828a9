import { describe, expect, it } from 'vitest'
import { documents, TableTestbed } from '../table-testbed.ts'

const tableLocation = ({ catalog }: TableTestbed) =>
  catalog.tables.get('cl')?.parameters['metadata_location']?.slice('s3://bucket/'.length)

describe('what eraseWithinDays demands', () => {
  it('removes every version of the files of old snapshots, and keeps the published one', async () => {
    const testbed = new TableTestbed()
    const runs: string[] = []
    for (let day = 0; day < 12; day++) runs.push(await testbed.publishTable(documents(day)))
    await testbed.erase(8)
    const old = runs.slice(0, 6)
    const versions = testbed.s3.versions.map(({ key }) => key).filter((key) => key.startsWith('iceberg/'))
    expect(versions.filter((key) => old.some((run) => key.includes(run)))).toEqual([])
    expect(testbed.runs()).toEqual(runs.slice(-6))
    expect(tableLocation(testbed)).toBe(testbed.latest()?.metadata)
  })

  it('names what is left in Glue with the next pass if Glue refused that', async () => {
    const testbed = new TableTestbed()
    for (let day = 0; day < 12; day++) await testbed.publishTable(documents(day))
    testbed.catalog.refusal = new Error('no')
    await testbed.erase(8)
    expect(tableLocation(testbed)).not.toBe(testbed.latest()?.metadata)
    testbed.catalog.refusal = undefined
    await testbed.erase(8)
    expect(tableLocation(testbed)).toBe(testbed.latest()?.metadata)
  })

  it('empties the table while tables fail, and erases the files of failed attempts', async () => {
    const testbed = new TableTestbed()
    const first = await testbed.publishTable([...documents(2), '{"id":["not a text"]}'])
    expect(testbed.latest()).toMatchObject({ rows: 3, rejected: { id: 1 } })
    for (let day = 0; day < 12; day++) {
      testbed.publish(documents(3), { uniqueIds: 4 })
      await testbed.make()
      await testbed.erase(8)
    }
    expect(testbed.s3.versions.filter(({ key }) => key.includes(`data/${first}/`))).toEqual([])
    expect(testbed.latest()).toMatchObject({ runId: first, rows: 0 })
    expect(testbed.latest()?.rejected).toEqual({})
    expect(testbed.metadata()).not.toHaveProperty('current-snapshot-id')
    expect(tableLocation(testbed)).toBe(testbed.latest()?.metadata)
    await testbed.publishTable(documents(2))
    expect(testbed.latest()).toMatchObject({ rows: 2, columns: { id: { id: 1 } } })
  })
})
