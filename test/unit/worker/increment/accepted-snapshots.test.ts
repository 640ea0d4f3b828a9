import { expect, it } from 'vitest'
import { readSteps } from '../../../../operator/changes/chain.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { stepRequest } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'
import { source } from './pulled-reader.ts'

const hour = 3_600_000

it('keeps what increments delivered after both of two snapshots that are accepted one after the other', async () => {
  const testbed = new IncrementTestbed()
  testbed.entity = { ...testbed.entity, maxShrinkPercent: 10 }
  await testbed.begin()
  testbed.documents.length = 2
  const refused: string[] = []
  for (let sync = 0; sync < 2; sync++) {
    testbed.now += 60_000
    const runId = newRunId(testbed.now)
    expect(await testbed.stepToEnd(stepRequest(runId))).toMatchObject({ status: 'refused' })
    refused.push(runId)
  }
  testbed.create(5)
  await testbed.increment()
  testbed.create(6, testbed.now + 9 * hour)
  // Longer than a window returns what was delivered before.
  await testbed.increment(10 * hour)
  for (const runId of refused) {
    const job = { kind: 'accept', guard: 'snapshot', by: 'alice' } as const
    expect(await testbed.step(stepRequest(runId, job))).toMatchObject({ status: 'published' })
    expect(await testbed.compare(runId)).toMatchObject({ status: 'published', withheld: 2 })
    expect([...testbed.readerState().keys()].toSorted()).toEqual(['1', '2', '5', '6'])
  }
  testbed.create(7)
  await testbed.increment()
  // `pull --update` of the accepted snapshot counts only the set after it, not those of newer runs before it.
  const { range } = await readSteps(testbed.changes, refused[1] ?? '', source)
  expect(range.sets.map(({ runId }) => runId)).toEqual([testbed.chain().tip])
})
