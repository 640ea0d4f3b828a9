import { expect, it } from 'vitest'
import { newRunId } from '../../../../stored/run/run.ts'
import { stepRequest } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000

it('sets readers of change sets back to a snapshot that is published again, and lets increments rest', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  const [from] = [testbed.chain().tip]
  const before = testbed.readerState()
  testbed.update(2, 'second')
  testbed.create(5)
  await testbed.increment()
  await testbed.sync()
  testbed.update(3, 'third')
  testbed.create(6)
  await testbed.increment()

  testbed.now += minute
  const republish = { kind: 'republish', from, acceptShrink: true } as const
  const { runId } = await testbed.stepToEnd(stepRequest(newRunId(testbed.now), republish))
  await testbed.compare(runId ?? '')
  expect(testbed.set()).toMatchObject({ runId, updated: 2, deleted: 2, held: 0, withheld: 0 })
  expect(testbed.readerState()).toEqual(before)
  expect(await testbed.increment()).toMatchObject({
    status: 'skipped',
    reason: `The snapshot of run ${from} was published again. Increments continue once a full sync has published.`,
  })

  await testbed.sync()
  expect(testbed.readerState().size).toBe(6)
  expect(await testbed.increment()).toMatchObject({ status: 'published' })
})
