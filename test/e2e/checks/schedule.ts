import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { runEnd } from './syncs.ts'

export const scheduleChecks: Check[] = [
  {
    name: 'a schedule starts a sync that publishes a snapshot',
    async run(context) {
      const latest = await eventually('the schedule has fired', () => readLatest(context, 'Scheduled'), 100)
      const { manifest } = await assertWholeSnapshot(context, 'Scheduled', latest.runId)
      assert.equal(manifest.pages.length, 4)
      const run = await runEnd(context, `/syncs/Scheduled/runs/${latest.runId}`)
      assert.deepEqual([run.status, run.proof], ['published', 'exact'])
    },
  },
]
