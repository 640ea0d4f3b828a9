import type { S3Client } from '@aws-sdk/client-s3'
import { eraseAll } from '../../../functions/compare/erase/erase-all.ts'
import { ProblemError } from '../../../functions/http/result.ts'
import { acceptRun } from '../../../functions/syncs/accept-run.ts'
import { createSyncs } from '../../../functions/syncs/syncs.ts'
import { CommandError } from '../../../operator/errors.ts'
import { erase, planErasure } from '../../../operator/retention/erase.ts'
import { createErasurePasses } from '../../../stored/erasure-passes.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import { newRunId } from '../../../stored/run/run.ts'
import { contextOf, requestFor } from '../operator/retention/context-of.ts'
import { documentAt, IncrementTestbed } from './increment/increment-testbed.ts'
import { stepRequest } from './worker-testbed.ts'

const hour = 3_600_000
const minute = 60_000
const person = '9'

export interface World {
  readonly testbed: IncrementTestbed
  /** Two snapshots that were published, and two that were refused later. Only the first refused one has the person. */
  readonly runs: Readonly<Record<'first' | 'second' | 'older' | 'newer', string>>
}

export async function prepare(): Promise<World> {
  const testbed = new IncrementTestbed()
  testbed.s3.now = () => testbed.now
  testbed.eraseWithinDays = 8
  await testbed.begin()
  const first = testbed.chain().tip
  testbed.update(2, 'second')
  testbed.now += hour
  const second = await testbed.sync()
  const refused = async (documents: string[]) => {
    testbed.now += 3 * hour
    testbed.documents = documents
    const { status, runId } = await testbed.stepToEnd()
    if (status !== 'refused' || !runId) throw new Error(`The run is ${status}.`)
    return runId
  }
  const [one = '', two = '', ...others] = testbed.documents
  const older = await refused([one, documentAt(Number(person), 'person', { created: testbed.old })])
  const newer = await refused([one, two])
  testbed.now += 3 * hour
  testbed.documents = [one, two, ...others]
  testbed.update(3, 'third')
  testbed.create(5)
  testbed.now += minute
  return { testbed, runs: { first, second, older, newer } }
}

export interface Deed {
  readonly name: string
  /** May be done again, as the state machine does after a failure. */
  readonly begin: (world: World) => () => Promise<unknown>
}

/** What an execution does: the worker until the run has ended, and the comparison. */
export async function execute(
  testbed: IncrementTestbed,
  request: ReturnType<typeof stepRequest>,
): Promise<void> {
  const { status, runId } = await testbed.stepToEnd(request)
  const accept = request.job.kind === 'accept' ? request.job : undefined
  if (status !== 'published' || !runId) return
  const reviewed = accept?.guard === 'snapshot' && accept.withChanges ? 'snapshot' : undefined
  await testbed.compare(runId, reviewed && { reviewed, runId, by: 'alice' })
}

export const acceptance = (of: 'older' | 'newer', withChanges?: true): Deed => ({
  name: `an acceptance of the ${of} refusal${withChanges ? ' with its change set' : ''}`,
  begin: ({ testbed, runs }) => {
    const job = {
      kind: 'accept',
      guard: 'snapshot',
      by: 'alice',
      ...(withChanges && { withChanges }),
    } as const
    return () => execute(testbed, stepRequest(runs[of], job))
  },
})

export const sync: Deed = {
  name: 'a full sync',
  begin: ({ testbed }) => {
    const request = stepRequest(newRunId(testbed.now))
    return () => execute(testbed, request)
  },
}

export const republication: Deed = {
  name: 'a republication',
  begin: ({ testbed, runs: { first: from } }) => {
    const request = stepRequest(newRunId(testbed.now + 1), { kind: 'republish', from, acceptShrink: true })
    return () => execute(testbed, request)
  },
}

export const increment: Deed = {
  name: 'an increment',
  begin:
    ({ testbed }) =>
    () =>
      testbed.increment(0),
}

export const cancellation: Deed = {
  name: 'a cancellation',
  begin: ({ testbed }) => {
    const { state, entity } = testbed
    const executions = {
      arnOf: async (id: string) => id,
      start: async () => true,
      stop: async () => undefined,
    }
    const context = { settings: { entities: [entity] }, state, executions, log: () => undefined }
    const syncs = createSyncs({ ...context, now: () => testbed.now } as never)
    return async () => {
      const running = await syncs.readRunning('CL')
      if (running?.hasItem) await syncs.cancel('CL', running.runId).catch(() => undefined)
    }
  },
}

export const personErasure: Deed = {
  name: 'an erasure of a person',
  begin:
    ({ testbed }) =>
    async () => {
      try {
        await erase(contextOf(testbed), await planErasure(contextOf(testbed), requestFor(testbed, person)))
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
      }
    },
}

export const dailyErasure: Deed = {
  name: 'the daily erasure',
  begin: ({ testbed }) => {
    const { snapshots, changes, publisher, state, s3, dynamodb } = testbed
    return () =>
      eraseAll({
        snapshots,
        changes,
        publisher,
        state,
        versions: createObjectVersionStore('snapshots', s3 as unknown as S3Client),
        passes: createErasurePasses(dynamodb, 'erasedAt'),
        configured: ['CL'],
        eraseWithinDays: 8,
        checkTime: () => undefined,
        now: () => testbed.now,
        log: () => undefined,
      })
  },
}

/** The request of a caller of the API, which leases the entity and starts an execution. */
export function beginAcceptance(testbed: IncrementTestbed, runId: string) {
  const { entity, state, snapshots, changes } = testbed
  let isStarted = false
  const start = async () => {
    isStarted = true
    return true
  }
  const context = { state, snapshots, changes, executions: { start }, now: () => testbed.now }
  return {
    isStarted: () => isStarted,
    begin: () =>
      acceptRun(context, { guard: 'snapshot', by: 'alice', entity, runId }).catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error
      }),
  }
}

/** As a caller of the API accepts it. */
export const apiAcceptance: Deed = {
  name: 'an acceptance by the API',
  begin: ({ testbed, runs: { newer: runId } }) => {
    const accept = beginAcceptance(testbed, runId)
    return async () => {
      await accept.begin()
      const job = { kind: 'accept', guard: 'snapshot', by: 'alice' } as const
      if (accept.isStarted()) await execute(testbed, stepRequest(runId, job))
    }
  },
}

export const nothing: Deed = { name: 'nothing', begin: () => async () => undefined }
