import { describe, expect, it } from 'vitest'
import { runIn, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { filesOfSnapshot } from '../../../stored/iceberg/snapshot-files.ts'
import { numbersToTry } from '../../case-count.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { documents, TableTestbed } from './table-testbed.ts'

/** What a reader without a catalog needs exists: every file of every Iceberg snapshot, with the rows of its summary. */
async function expectWhole(testbed: TableTestbed): Promise<void> {
  const latest = testbed.latest()
  if (!latest) return
  const { tables } = testbed.context()
  const metadata = await tables.readJson<TableMetadata>(latest.metadata)
  if (!metadata) throw new Error(`The metadata ${latest.metadata} is missing.`)
  for (const snapshot of metadata.snapshots) {
    const list = snapshot['manifest-list'].slice('s3://bucket/'.length)
    expect((await filesOfSnapshot(tables, list)).filter((key) => !testbed.s3.objects.has(key))).toEqual([])
  }
  const current = metadata.snapshots.at(-1)
  expect(current && runIn(current)).toBe(latest.runId)
  expect(current?.summary['total-records']).toBe(String(latest.rows))
}

describe('the daily erasure, and a table that is committed before any of its calls', () => {
  /** Four tables, of which the first two are too old. */
  async function outdated() {
    const testbed = new TableTestbed()
    const runs: string[] = []
    for (const count of [1, 2, 3, 4]) runs.push(await testbed.publishTable(documents(count), 3 * 86_400_000))
    const stores = { s3: testbed.s3, dynamodb: new MemoryDynamoDb() }
    return { testbed, stores, old: runs.slice(0, 2), erase: () => testbed.erase(8) }
  }

  it('leave the new table whole, and nothing of the old ones', async () => {
    const undisturbed = await outdated()
    const calls = await callsOf(undisturbed.stores, undisturbed.erase)
    expect(calls).toBeGreaterThan(8)
    for (const call of numbersToTry(calls)) {
      const { testbed, stores, old, erase } = await outdated()
      let newest = ''
      const work = async () => {
        newest = await testbed.publishTable(documents(5), 3_600_000)
      }
      await withCall(stores, { call, happens: { kind: 'rival', work } }, erase)
      expect(testbed.latest()).toMatchObject({ runId: newest, rows: 5 })
      await expectWhole(testbed)
      expect(testbed.runs().filter((run) => old.includes(run))).toEqual([])
      expect(testbed.keys('data/').filter((key) => old.some((run) => key.includes(run)))).toEqual([])
    }
  })

  it('leave the table of a snapshot whole that was refused long ago and is accepted meanwhile', async () => {
    const later = async () => {
      const all = await outdated()
      all.testbed.now += 8 * 86_400_000
      return all
    }
    const undisturbed = await later()
    const calls = await callsOf(undisturbed.stores, undisturbed.erase)
    for (const call of numbersToTry(calls)) {
      const { testbed, stores, erase } = await later()
      const work = async () => {
        const { now } = testbed
        testbed.now -= 7 * 86_400_000
        await testbed.publishTable(documents(5), 0)
        testbed.now = now
      }
      await withCall(stores, { call, happens: { kind: 'rival', work } }, erase)
      expect(testbed.latest()).toMatchObject({ rows: 5 })
      await expectWhole(testbed)
    }
  })
})
