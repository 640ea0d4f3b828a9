import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListExecutionsCommand } from '@aws-sdk/client-sfn'
import { onScroll } from '../../../local/platform/faults.ts'
import { type Check, eventually } from '../check.ts'
import { readLatest } from '../snapshot-proof.ts'
import type { EntityName } from '../upstream.ts'
import type { World } from '../world.ts'

export const cancelChecks: Check[] = [
  {
    name: 'a cancelled sync stops, its execution ends as ABORTED, and nothing is published',
    async run(world) {
      const { callApi, platform, sfn, deployment } = world
      const published = await readLatest(world, 'CL')
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
        const before = requestsOf(world, 'CL')
        await sleep(3_000)
        return requestsOf(world, 'CL') === before || undefined
      })
      assert.equal((await callApi({ path })).json.status, 'cancelled')
      assert.deepEqual(await readLatest(world, 'CL'), published)
    },
  },
  {
    name: 'after a cancelled sync the entity can be synced at once',
    async run(world) {
      const started = await world.callApi({ method: 'POST', path: '/syncs/CL' })
      assert.equal(started.status, 202, started.body.toString())
      const latest = await eventually('it is published', async () => {
        const latest = await readLatest(world, 'CL')
        return latest?.runId === started.json.runId ? latest : undefined
      })
      assert.equal(latest.documents, 1_050)
    },
  },
]

function requestsOf({ platform }: World, entity: EntityName): number {
  return platform.requests.filter(({ name }) => name === entity).length
}
