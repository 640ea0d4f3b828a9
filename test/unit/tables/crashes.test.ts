import { DeleteObjectsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { filesOfSnapshot } from '../../../functions/tables/clean-up/snapshot-files.ts'
import { runOf, type TableMetadata } from '../../../functions/tables/iceberg/metadata.ts'
import { schemaChangesKey } from '../../../stored/snapshots/manifest.ts'
import { numbersToTry } from '../../case-count.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { documents, entity, TableTestbed } from './table-testbed.ts'

class Killed extends Error {}

/** Fails the write with this number, before it takes effect or after. Returns how many writes there were. */
function killAtWrite(testbed: TableTestbed, number: number, effect: 'before' | 'after'): () => number {
  const { s3 } = testbed
  const execute = s3.execute.bind(s3)
  let writes = 0
  s3.execute = (command) => {
    const isWrite = command instanceof PutObjectCommand || command instanceof DeleteObjectsCommand
    if (!isWrite || ++writes !== number) return execute(command)
    if (effect === 'after') execute(command)
    throw new Killed('killed')
  }
  return () => {
    s3.execute = execute
    return writes
  }
}

/** What a reader without a catalog needs exists: every file of every Iceberg snapshot, with the rows of its summary. */
async function expectWhole(testbed: TableTestbed): Promise<void> {
  const latest = testbed.latest()
  if (!latest) return
  const { tables } = testbed.context()
  const metadata = await tables.readJson<TableMetadata>(latest.metadata)
  if (!metadata) throw new Error(`The metadata ${latest.metadata} is missing.`)
  for (const snapshot of metadata.snapshots) {
    const list = snapshot['manifest-list'].slice('s3://bucket/'.length)
    const missing = (await filesOfSnapshot(tables, list)).filter((key) => !testbed.s3.objects.has(key))
    expect(missing).toEqual([])
  }
  const current = metadata.snapshots.at(-1)
  expect(current && runOf(current)).toBe(latest.runId)
  expect(current?.summary['total-records']).toBe(String(latest.rows))
}

/** Three tables of which the first is dropped and cleaned up while the fourth is made. */
async function prepared(): Promise<TableTestbed> {
  const testbed = new TableTestbed()
  testbed.settings = { ...testbed.settings, keepSnapshots: 2 }
  for (const count of [1, 2, 3]) await testbed.publishTable(documents(count))
  testbed.pagesOfChunk = 10
  const withTown = documents(12).map((line) => line.replace('}', ',"town":1}'))
  testbed.publish(withTown, { pageSize: 1 })
  testbed.now += 25 * 3_600_000
  return testbed
}

async function writesOfTable(): Promise<number> {
  const testbed = await prepared()
  const restore = killAtWrite(testbed, 0, 'before')
  await testbed.make()
  return restore()
}

describe('a function that is killed at any of its writes', () => {
  it.each(['before', 'after'] as const)(
    'leaves a complete table, and the next invocation publishes it (killed %s the write)',
    async (effect) => {
      const writes = await writesOfTable()
      expect(writes).toBeGreaterThan(12)
      for (const number of numbersToTry(writes)) {
        const testbed = await prepared()
        const restore = killAtWrite(testbed, number, effect)
        await testbed.make().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
        restore()
        await expectWhole(testbed)
        expect(['published', 'up-to-date']).toContain((await testbed.make()).status)
        await expectWhole(testbed)
        const { runId = '' } = testbed.latest() ?? {}
        expect(testbed.latest()).toMatchObject({ rows: 12, announced: true, glue: { state: 'current' } })
        const named = testbed.events.map(({ type, detail }) => `${type} of ${detail.runId}`)
        expect(named).toEqual(
          expect.arrayContaining([`Table Published of ${runId}`, `Schema Changed of ${runId}`]),
        )
        expect(testbed.s3.objects.has(schemaChangesKey(entity, runId))).toBe(true)
        testbed.now += 25 * 3_600_000
        await testbed.make()
        await expectWhole(testbed)
        // One data file for each chunk of the snapshots that are kept.
        expect(testbed.keys('data/')).toHaveLength(3)
        expect(testbed.keys('work/')).toEqual([])
      }
    },
  )

  it.each(['before', 'after'] as const)(
    'leaves no list of files that are gone when it removes a table (killed %s the write)',
    async (effect) => {
      const removed = async (number: number) => {
        const testbed = await prepared()
        await testbed.make()
        testbed.settings = { ...testbed.settings, columns: undefined, schemaReport: false }
        const restore = killAtWrite(testbed, number, effect)
        await testbed.make().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
        return { testbed, writes: restore() }
      }
      const { writes } = await removed(0)
      expect(writes).toBeGreaterThan(1)
      for (const number of numbersToTry(writes)) {
        const { testbed } = await removed(number)
        await expectWhole(testbed)
        expect(await testbed.make()).toMatchObject({ status: 'off' })
        expect(testbed.keys()).toEqual([])
      }
    },
  )
})

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
