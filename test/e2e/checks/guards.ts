import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { runEnd } from './syncs.ts'

/** Guards that keep a complete but unlikely snapshot from replacing a good one. */
export const guardChecks: Check[] = [
  {
    name: 'a snapshot that shrank is refused with how to accept it, and published once accepted',
    async run(context) {
      const first = outputOf(
        await executionEnd(context, await startExecution(context, { entity: 'Shrinking' })),
      )
      assert.equal(first.status, 'published')
      const before = await readLatest(context, 'Shrinking')
      const documents = context.platform.documents.get('Shrinking')
      assert.ok(Array.isArray(documents))
      context.platform.documents.set('Shrinking', documents.slice(0, 100))

      const refused = await executionEnd(context, await startExecution(context, { entity: 'Shrinking' }))
      assert.deepEqual([refused.status, refused.error], ['FAILED', 'SyncRefused'])
      assert.match(refused.cause ?? '', /75\.0% fewer.*"acceptShrink": true/)
      const { json } = await context.callApi({ path: '/syncs/Shrinking' })
      assert.deepEqual([json.runs[0].status, json.runs[0].reason], ['refused', refused.cause])
      assert.deepEqual(await readLatest(context, 'Shrinking'), before)

      const accepted = await context.callApi({
        method: 'POST',
        path: '/syncs/Shrinking',
        headers: { 'content-type': 'application/json' },
        body: '{"acceptShrink": true}',
      })
      assert.equal(accepted.status, 202, accepted.body.toString())
      const { runId } = accepted.json
      const end = await runEnd(context, `/syncs/Shrinking/runs/${runId}`)
      assert.equal(end.status, 'published', end.reason)
      await assertWholeSnapshot(context, 'Shrinking', runId)
    },
  },
  {
    name: 'an empty snapshot is refused even if acceptShrink is set',
    async run(context) {
      const input = { entity: 'Emptied', acceptShrink: true }
      const refused = await executionEnd(context, await startExecution(context, input))
      assert.deepEqual([refused.status, refused.error], ['FAILED', 'SyncRefused'])
      assert.match(refused.cause ?? '', /allowEmpty/)
      assert.equal(await readLatest(context, 'Emptied'), undefined)
    },
  },
]
