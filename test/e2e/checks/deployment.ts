import assert from 'node:assert/strict'
import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot, readLatest } from '../snapshot-proof.ts'
import { entities, throttleScrolls } from '../upstream.ts'

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'
const stacks = ['Storage', 'Sync', 'Api', 'Monitoring', 'Athena']

/** An upgrade: another entity, and new settings in the code of every function. */
const change = {
  stepSeconds: 11,
  entities: [...entities, { name: 'Added', schedule: 'rate(7 days)' }],
}

export const deploymentChecks: Check[] = [
  {
    name: 'deployments during a long sync, with and without changes, do not disturb it',
    async run(context) {
      const { platform, deployment, callApi } = context
      const published = await readLatest(context, 'CL')
      // The run lasts as long as the deployments.
      const throttling = throttleScrolls(platform, 'Long', 3)
      // A scroll of hours takes many invocations of 13 minutes; this one takes a few of 10 seconds.
      const slowness = platform.faults.add({
        match: onScroll({ entity: 'Long' }),
        fault: { kind: 'slow', beforeHeadersMs: 1_500 },
        times: Infinity,
      })
      const executionArn = await startExecution(context, { entity: 'Long' })
      await committedPages(context, 3)

      const unchanged = await deployment.deployAgain()
      for (const stack of stacks) assert.match(unchanged, new RegExp(`Longshore${stack} \\(no changes\\)`))
      const before = await runningRun(context)
      assert.ok(before, 'the sync ended before the deployment with changes')

      const changed = await deployment.deployAgain(change)
      for (const stack of ['Sync', 'Api']) assert.doesNotMatch(changed, new RegExp(`Longshore${stack} \\(no`))
      const during = await runningRun(context)
      assert.ok(during, 'the sync ended before the deployment')
      const { json } = await callApi({ path: '/syncs/Added' })
      assert.equal(json.schedule, 'rate(7 days)')

      throttling.remove()
      const calledOften = async () => (await workerCalls(context, executionArn)) >= 4 || undefined
      await eventually('the worker was called four times', calledOften, 120)
      slowness.remove()

      const end = await executionEnd(context, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { status, runId = '' } = outputOf(end)
      assert.deepEqual({ status, runId }, { status: 'published', runId: before.runId })
      await assertWholeSnapshot(context, 'Long', runId)

      assert.equal((await callApi({ path: dock })).status, 200, 'the credentials are still set')
      assert.deepEqual(await readLatest(context, 'CL'), published)
    },
  },
]

async function committedPages(context: CheckContext, pages: number): Promise<void> {
  await eventually(`${pages} pages are committed`, async () => {
    const run = await runningRun(context)
    return run !== null && run.pages >= pages ? true : undefined
  })
}

async function runningRun({ callApi }: CheckContext): Promise<{ runId: string; pages: number } | null> {
  const { json } = await callApi({ path: '/syncs/Long' })
  return json.running
}

/** How often the state machine invoked the worker. */
async function workerCalls({ sfn }: CheckContext, executionArn: string): Promise<number> {
  const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))
  return events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name === 'Step').length
}
