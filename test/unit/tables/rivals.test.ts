import { describe, expect, it } from 'vitest'
import { filesOfSnapshot } from '../../../functions/tables/clean-up/snapshot-files.ts'
import { numbersToTry } from '../../case-count.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { documents, string, TableTestbed } from './table-testbed.ts'

const minuteMs = 60_000
const [before, own, rival] = [2, 3, 5]

/** A table, and a newer snapshot without one. */
async function prepared(): Promise<TableTestbed> {
  const testbed = new TableTestbed()
  await testbed.publishTable(documents(before))
  testbed.publish(documents(own))
  return testbed
}

/** The rows of the current table, from its files. */
async function expectCurrent(testbed: TableTestbed, rows: number): Promise<void> {
  const latest = testbed.latest()
  const { tables } = testbed.context()
  const current = testbed.metadata().snapshots.at(-1)
  const files = await filesOfSnapshot(tables, tables.keyOf(current?.['manifest-list'] ?? ''))
  expect(files.filter((key) => !testbed.s3.objects.has(key))).toEqual([])
  expect(latest).toMatchObject({ rows, glue: { state: 'current' } })
  const metadata = `s3://bucket/${latest?.metadata}`
  expect(testbed.catalog.tables.get('cl')?.parameters).toMatchObject({ metadata_location: metadata })
  const announced = testbed.events.flatMap(({ type, detail }) =>
    type === 'Table Published' ? detail.runId : [],
  )
  expect(announced).toContain(latest?.runId)
}

const works: Readonly<Record<string, (testbed: TableTestbed) => Promise<unknown>>> = {
  'publishes a newer snapshot and its table': (testbed) => testbed.publishTable(documents(rival), minuteMs),
  'publishes a newer snapshot and its table with another column': async (testbed) => {
    const { settings } = testbed
    testbed.settings = { ...settings, columns: [string('id'), string('name')] }
    await testbed.publishTable(documents(rival), minuteMs)
    testbed.settings = settings
  },
}

describe('a function that makes a table, and another that does all of its work before any of its calls', () => {
  it.each(Object.entries(works))('leave the newest table, in Glue too, if the other %s', async (_, work) => {
    const first = await prepared()
    const calls = await callsOf(first, () => first.make())
    expect(calls).toBeGreaterThan(25)
    for (const call of numbersToTry(calls)) {
      const testbed = await prepared()
      const happens = { kind: 'rival', work: () => work(testbed) } as const
      await withCall(testbed, { call, happens }, () => testbed.make())
      await expectCurrent(testbed, rival)
    }
  })

  it('leave the newest table, in Glue too, if the function stops two calls later', async () => {
    const first = await prepared()
    const calls = await callsOf(first, () => first.make())
    for (const call of numbersToTry(calls)) {
      const testbed = await prepared()
      const work = () => testbed.publishTable(documents(rival), minuteMs)
      await withCall(testbed, { call, happens: { kind: 'rival', work, stopsAfter: 2 } }, () => testbed.make())
      await expectCurrent(testbed, rival)
    }
  })
})
