import assert from 'node:assert/strict'
import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import { onScroll } from '../../../local/platform/faults.ts'
import { type Check, eventually } from '../check.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { entities } from '../upstream.ts'
import type { World } from '../world.ts'

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'
const stacks = ['Storage', 'Sync', 'Api', 'Monitoring']

/** What an upgrade brings: another entity, and other settings beside the code of every function. */
const change = {
  stepSeconds: 11,
  entities: [...entities, { name: 'Added', schedule: 'rate(7 days)' }],
}

export const deploymentChecks: Check[] = [
  {
    name: 'deployments in the middle of a long sync, without and with changes, lose nothing of it',
    async run(world) {
      const { platform, deployment, callApi } = world
      // As a scroll of hours has thousands of calls of 13 minutes, this one has some of 10 seconds.
      const slow = { kind: 'slow', beforeHeadersMs: 1_500 } as const
      const slowness = platform.faults.add({
        match: onScroll({ entity: 'Long' }),
        fault: slow,
        times: Infinity,
      })
      const executionArn = await startExecution(world, { entity: 'Long' })
      await committedPages(world, 3)

      const unchanged = await deployment.deployAgain()
      for (const stack of stacks) assert.match(unchanged, new RegExp(`Longshore${stack} \\(no changes\\)`))
      const before = await runningRun(world)
      assert.ok(before, 'the sync was over before the deployment that changes something')

      const changed = await deployment.deployAgain(change)
      for (const stack of ['Sync', 'Api']) assert.doesNotMatch(changed, new RegExp(`Longshore${stack} \\(no`))
      const during = await runningRun(world)
      assert.ok(during, 'the sync was over before the deployment was')
      const { json } = await callApi({ path: '/syncs/Added' })
      assert.equal(json.schedule, 'rate(7 days)')

      await eventually('the worker was called four times', async () => {
        return (await workerCalls(world, executionArn)) >= 4 || undefined
      })
      slowness.remove()

      const end = await executionEnd(world, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.deepEqual({ status, runId }, { status: 'published', runId: before.runId })
      await assertWholeSnapshot(world, 'Long', runId)

      assert.equal((await callApi({ path: dock })).status, 200, 'the keys stayed')
      assert.equal((await readLatest(world, 'CL'))?.documents, 1_050)
    },
  },
]

async function committedPages(world: World, pages: number): Promise<void> {
  await eventually(`${pages} pages are committed`, async () => {
    const run = await runningRun(world)
    return run !== null && run.pages >= pages ? true : undefined
  })
}

async function runningRun({ callApi }: World): Promise<{ runId: string; pages: number } | null> {
  const { json } = await callApi({ path: '/syncs/Long' })
  return json.running
}

/** How often the state machine called the worker. */
async function workerCalls({ sfn }: World, executionArn: string): Promise<number> {
  const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))
  return events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name === 'Step').length
}
