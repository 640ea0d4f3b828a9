import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'

export const scheduleChecks: Check[] = [
  {
    name: 'a schedule that fires publishes a snapshot that nobody started',
    async run(world) {
      const latest = await eventually('the schedule has fired', () => readLatest(world, 'Scheduled'), 100)
      const { manifest } = await assertWholeSnapshot(world, 'Scheduled', latest.runId)
      assert.equal(manifest.pages.length, 4)
      const { json } = await world.callApi({ path: `/syncs/Scheduled/runs/${latest.runId}` })
      assert.deepEqual([json.status, json.proof], ['published', 'exact'])
    },
  },
]
