import { expect, it } from 'vitest'
import { newRunId } from '../../../stored/run/run.ts'
import { runPrefix } from '../../../stored/snapshots/manifest.ts'
import { IncrementTestbed } from './increment/increment-testbed.ts'
import { dailyErasure } from './race-deeds.ts'
import { stepRequest } from './worker-testbed.ts'

const day = 24 * 60 * 60_000

/** A snapshot, two that replaced it, and days later a republication of the first, which is refused. */
async function refusedRepublication(afterDays = 3) {
  const testbed = new IncrementTestbed()
  testbed.s3.now = () => testbed.now
  testbed.eraseWithinDays = 8
  await testbed.begin()
  const from = testbed.chain().tip ?? ''
  for (let id = 5; id <= 8; id++) testbed.create(id)
  await testbed.sync()
  testbed.update(1, 'new')
  await testbed.sync()
  testbed.now += afterDays * day
  const job = { kind: 'republish', from, acceptShrink: false } as const
  const { status, runId } = await testbed.stepToEnd(stepRequest(newRunId(testbed.now), job))
  return { testbed, from, status, runId: runId ?? '' }
}

it('what a refused republication has copied is as old as the snapshot that it would publish again', async () => {
  const { testbed, from, status, runId } = await refusedRepublication()
  expect(status).toBe('refused')
  const keys = (run: string) => testbed.keysOf(runPrefix('CL', run)).length
  expect([keys(from), keys(runId)]).not.toContain(0)
  const erase = dailyErasure.begin({ testbed, runs: { first: '', second: '', older: '', newer: '' } })
  testbed.now += day
  await erase()
  expect([keys(from), keys(runId)]).not.toContain(0)
  testbed.now += day
  await erase()
  expect([keys(from), keys(runId)]).toEqual([0, 0])
})

it('what a republication is copying stays, although the snapshot that it copies has become too old meanwhile', async () => {
  const { testbed, from, runId } = await refusedRepublication(4.5)
  const keys = (run: string) => testbed.keysOf(runPrefix('CL', run)).length
  const erase = dailyErasure.begin({ testbed, runs: { first: '', second: '', older: '', newer: '' } })
  testbed.now += 0.6 * day
  await erase()
  expect(keys(from)).toBe(0)
  expect(keys(runId)).toBeGreaterThan(0)
  testbed.now += 0.6 * day
  await erase()
  expect(keys(runId)).toBe(0)
})
