import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { runEnd } from './syncs.ts'

/** Guards that keep a complete but unlikely snapshot from replacing a good one. */
export const guardChecks: Check[] = [
  {
    name: 'a snapshot that shrank is refused with how to accept it, and published as it was once accepted',
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
      assert.match(refused.cause ?? '', /75\.0% fewer.*Review and accept it/)
      const { json } = await context.callApi({ path: '/syncs/Shrinking' })
      assert.deepEqual([json.runs[0].status, json.runs[0].reason], ['refused', refused.cause])
      assert.deepEqual(await readLatest(context, 'Shrinking'), before)

      // What is accepted is what was reviewed, although the platform has fallen further.
      context.platform.documents.set('Shrinking', documents.slice(0, 3))
      const { runId } = json.runs[0]
      const accept = (guard: string) =>
        context.callApi({
          method: 'POST',
          path: `/syncs/Shrinking/runs/${runId}/accept`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ guard }),
        })
      const accepted = await accept('snapshot')
      assert.equal(accepted.status, 202, accepted.body.toString())
      assert.equal(accepted.json.runId, runId)
      const end = await eventually('the accepted run is published', async () => {
        const run = (await context.callApi({ path: `/syncs/Shrinking/runs/${runId}` })).json
        return run.status === 'published' ? run : undefined
      })
      assert.match(end.by, /^(root|user\/|assumed-role\/)/)
      assert.equal((await readLatest(context, 'Shrinking'))?.documents, 100)
      context.platform.documents.set('Shrinking', documents.slice(0, 100))
      await assertWholeSnapshot(context, 'Shrinking', runId)
      assert.deepEqual((await accept('snapshot')).json, accepted.json)

      const tip = async () => (await context.callApi({ path: '/syncs/Shrinking/changes' })).json.tip
      const compared = await eventually('the change set is refused, too', async () => {
        const response = await accept('changes')
        return response.status === 202 ? response : undefined
      })
      assert.deepEqual(compared.json, accepted.json)
      await eventually('the accepted change set is published', async () =>
        (await tip()) === runId ? runId : undefined,
      )
    },
  },
  {
    name: 'a run that is started with acceptShrink publishes a snapshot that shrank',
    async run(context) {
      const documents = context.platform.documents.get('Shrinking')
      assert.ok(Array.isArray(documents))
      context.platform.documents.set('Shrinking', documents.slice(0, 1))
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
]
