import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListExecutionsCommand } from '@aws-sdk/client-sfn'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { readLatest } from '../snapshot-proof.ts'
import type { EntityName } from '../upstream.ts'

export const cancelChecks: Check[] = [
  {
    name: 'a cancelled sync stops, its execution ends as ABORTED, and nothing is published',
    async run(context) {
      const { callApi, platform, sfn, deployment } = context
      const published = await readLatest(context, 'CL')
      const slow = { kind: 'slow', beforeHeadersMs: 1_000 } as const
      platform.faults.add({ match: onScroll({ entity: 'CL' }), fault: slow, times: Infinity })
      const { json: started } = await callApi({ method: 'POST', path: '/syncs/CL' })
      const path = `/syncs/CL/runs/${started.runId}`
      await eventually('a page is committed', async () => {
        const { json } = await callApi({ path })
        return json.pages > 0 ? true : undefined
      })

      const cancelled = await callApi({ method: 'DELETE', path })
      assert.equal(cancelled.status, 202, cancelled.body.toString())
      assert.equal(cancelled.json.status, 'cancelled')
      const { stateMachineArn } = deployment
      const { executions = [] } = await sfn.send(
        new ListExecutionsCommand({ stateMachineArn, statusFilter: 'ABORTED' }),
      )
      assert.deepEqual(
        executions.map(({ name }) => name),
        [started.runId],
      )

      const again = await callApi({ method: 'DELETE', path })
      assert.deepEqual([again.status, again.json.type], [409, 'urn:longshore:problem:run-ended'])
      await eventually('the worker asks for no more pages', async () => {
        const before = requestsOf(context, 'CL')
        await sleep(3_000)
        return requestsOf(context, 'CL') === before || undefined
      })
      assert.equal((await callApi({ path })).json.status, 'cancelled')
      assert.deepEqual(await readLatest(context, 'CL'), published)
    },
  },
  {
    name: 'an entity can be synced immediately after a cancelled sync',
    async run(context) {
      const started = await context.callApi({ method: 'POST', path: '/syncs/CL' })
      assert.equal(started.status, 202, started.body.toString())
      const latest = await eventually('the snapshot is published', async () => {
        const latest = await readLatest(context, 'CL')
        return latest?.runId === started.json.runId ? latest : undefined
      })
      assert.equal(latest.documents, 1_050)
    },
  },
]

function requestsOf({ platform }: CheckContext, entity: EntityName): number {
  return platform.requests.filter(({ name }) => name === entity).length
}
