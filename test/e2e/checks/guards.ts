import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { runEnd } from './syncs.ts'

/** What keeps a whole but unlikely copy from taking the place of a good one. */
export const guardChecks: Check[] = [
  {
    name: 'a copy that shrank is refused with how to accept it, and is published once it is accepted',
    async run(world) {
      const first = outputOf(await executionEnd(world, await startExecution(world, { entity: 'Shrinking' })))
      assert.equal(first.status, 'published')
      const before = await readLatest(world, 'Shrinking')
      const documents = world.platform.documents.get('Shrinking')
      assert.ok(Array.isArray(documents))
      world.platform.documents.set('Shrinking', documents.slice(0, 100))

      const refused = await executionEnd(world, await startExecution(world, { entity: 'Shrinking' }))
      assert.deepEqual([refused.status, refused.error], ['FAILED', 'SyncRefused'])
      assert.match(refused.cause ?? '', /75\.0% fewer.*"acceptShrink": true/)
      const { json } = await world.callApi({ path: '/syncs/Shrinking' })
      assert.deepEqual([json.runs[0].status, json.runs[0].reason], ['refused', refused.cause])
      assert.deepEqual(await readLatest(world, 'Shrinking'), before)

      const accepted = await world.callApi({
        method: 'POST',
        path: '/syncs/Shrinking',
        headers: { 'content-type': 'application/json' },
        body: '{"acceptShrink": true}',
      })
      assert.equal(accepted.status, 202, accepted.body.toString())
      const { runId } = accepted.json
      const end = await runEnd(world, `/syncs/Shrinking/runs/${runId}`)
      assert.equal(end.status, 'published', end.reason)
      await assertWholeSnapshot(world, 'Shrinking', runId)
    },
  },
  {
    name: 'an empty copy is refused, even if a smaller one is accepted',
    async run(world) {
      const input = { entity: 'Emptied', acceptShrink: true }
      const refused = await executionEnd(world, await startExecution(world, input))
      assert.deepEqual([refused.status, refused.error], ['FAILED', 'SyncRefused'])
      assert.match(refused.cause ?? '', /allowEmpty/)
      assert.equal(await readLatest(world, 'Emptied'), undefined)
    },
  },
]
