import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'

export const scheduleChecks: Check[] = [
  {
    name: 'a schedule starts a sync that publishes a snapshot',
    async run(context) {
      const latest = await eventually('the schedule has fired', () => readLatest(context, 'Scheduled'), 100)
      const { manifest } = await assertWholeSnapshot(context, 'Scheduled', latest.runId)
      assert.equal(manifest.pages.length, 4)
      const { json } = await context.callApi({ path: `/syncs/Scheduled/runs/${latest.runId}` })
      assert.deepEqual([json.status, json.proof], ['published', 'exact'])
    },
  },
]
