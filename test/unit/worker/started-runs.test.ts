import { expect, it } from 'vitest'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { startSync } from '../../../functions/syncs/start-sync.ts'
import { readWorkerRequest } from '../../../functions/worker/request.ts'
import type { StartedJob } from '../../../stored/run/job.ts'
import { IncrementTestbed } from './increment/increment-testbed.ts'
import { WorkerTestbed } from './worker-testbed.ts'

const day = 24 * 60 * 60_000

/** Starts a run as a caller with this configuration does, and executes what was started. */
async function startAndStep(
  testbed: WorkerTestbed | IncrementTestbed,
  entity: EntitySettings,
  job: StartedJob,
) {
  const { state } = testbed
  const inputs: object[] = []
  const executions = {
    arnOf: async (name: string) => `arn:${name}`,
    start: async (_: string, input: object) => inputs.push(input) > 0,
  }
  const started = await startSync({ state, executions, now: () => testbed.now }, entity, job)
  const execution = { id: `arn:${started.runId}`, startedAt: testbed.now + 1 }
  const read = readWorkerRequest({ task: 'step', input: inputs[0], execution })
  if (read.kind !== 'request') throw new Error(JSON.stringify(read))
  return { runId: started.runId, response: await testbed.step(read.request) }
}

const guards = { acceptShrink: true, acceptDeletes: true }

it.each([{ partitions: undefined }, { partitions: { by: 'createdIn', count: 2 } }])(
  'a full sync scrolls by the configuration of its worker, whatever that of its caller is: %j',
  async (partitions) => {
    const testbed = new WorkerTestbed()
    const entity = { ...testbed.entity, ...partitions, pageSize: 7, query: { _where: 'x' }, allowEmpty: true }
    const { runId, response } = await startAndStep(testbed, entity, { kind: 'full', ...guards })
    expect(response).toMatchObject({ status: 'published', runId, documents: 3, pages: 2 })
    const { query, allowEmpty } = testbed.entity
    expect(await testbed.state.readRun('CL', runId)).toMatchObject({
      ...guards,
      execution: `arn:${runId}`,
      plan: { query, pageSize: 2, allowEmpty },
      split: { kind: 'whole' },
    })
  },
)

it('a republication copies the pages of its snapshot, with the guards of its worker', async () => {
  const testbed = new WorkerTestbed()
  const first = await startAndStep(testbed, testbed.entity, { kind: 'full', ...guards })
  testbed.now += day
  const job = { kind: 'republish', from: first.runId, acceptShrink: false, acceptDeletes: true } as const
  const again = await startAndStep(testbed, { ...testbed.entity, allowEmpty: true }, job)
  expect(again.response).toMatchObject({ status: 'published', runId: again.runId, documents: 3 })
  expect(await testbed.state.readRun('CL', again.runId)).toMatchObject({
    kind: 'republication',
    republishedFrom: first.runId,
    acceptShrink: false,
    acceptDeletes: true,
    limits: { allowEmpty: false },
  })
})

it('an increment that finds nothing new can be read by its id', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.now += 300_000
  const { runId, response } = await startAndStep(testbed, testbed.entity, { kind: 'increment' })
  expect(response).toMatchObject({ status: 'published', kind: 'increment', runId, records: 0 })
  expect(await testbed.state.findRun('CL', runId)).toMatchObject({ kind: 'increment', status: 'published' })
})
