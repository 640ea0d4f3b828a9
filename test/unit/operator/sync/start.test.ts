import { describe, expect, it } from 'vitest'
import { runIdOfExecution } from '../../../../functions/state/run/run.ts'
import type { ExecutionState } from '../../../../operator/aws/executions.aws.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { startRun, syncInput } from '../../../../operator/sync/start.ts'
import { noPause } from '../../../pauses.ts'

const none = { acceptShrink: false, acceptDeletes: false }

it.each([
  [none, { entity: 'CL' }],
  [
    { ...none, acceptShrink: true },
    { entity: 'CL', acceptShrink: true },
  ],
  [
    { ...none, acceptDeletes: true },
    { entity: 'CL', acceptDeletes: true },
  ],
])('the state machine receives only the guards that are overridden (%#)', (request, input) => {
  expect(syncInput('CL', request)).toEqual(input)
})

describe('a started execution', () => {
  const execution = { id: 'arn:e', startedAt: Date.parse('2026-11-21T12:00:00Z') }
  const own = runIdOfExecution(execution)
  const other = runIdOfExecution({ ...execution, id: 'arn:other' })
  const ended: ExecutionState = { kind: 'ended', status: 'FAILED', cause: 'No slot.' }

  /** The state of the execution and the runs of the entity, poll by poll. The last ones stay. */
  async function start(
    states: readonly ExecutionState[],
    runs: readonly (readonly string[])[],
    signal?: AbortSignal,
  ) {
    const polls = { states: 0, runs: 0 }
    const options = {
      executions: {
        start: async () => execution,
        read: async () => states[Math.min(polls.states++, states.length - 1)],
      },
      syncs: {
        read: async () => ({
          runs: runs[Math.min(polls.runs++, runs.length - 1)]?.map((runId) => ({ runId })),
        }),
      },
      pause: noPause,
      signal: signal ?? new AbortController().signal,
    }
    const outcome = await startRun(options as never, { entity: 'CL' }).catch(failureOf)
    return { outcome, polls: polls.runs }
  }

  it.each([
    ['at once', [[other, own]], 1],
    ['after the next poll', [[other], [other, own]], 2],
  ])('is followed until its run is found, here %s', async (_, runs, polls) => {
    expect(await start([{ kind: 'running' }], runs)).toEqual({ outcome: { runId: own }, polls })
  })

  it('has its run even if a worker with another clock began it', async () => {
    const later = runIdOfExecution({ ...execution, startedAt: execution.startedAt + 1 })
    expect(await start([{ kind: 'running' }], [[later]])).toEqual({ outcome: { runId: later }, polls: 1 })
  })

  it('has the run that it recorded before it ended', async () => {
    expect(await start([ended], [[own]])).toEqual({ outcome: { runId: own }, polls: 1 })
  })

  it.each([
    [ended, 'The execution arn:e ended as FAILED without a run. No slot.'],
    [{ ...ended, cause: undefined }, 'The execution arn:e ended as FAILED without a run.'],
  ])('may end without a run: %j', async (state, message) => {
    expect((await start([state], [[other]])).outcome).toEqual({ kind: 'problem', message, fix: undefined })
  })

  it('continues when its start is no longer awaited', async () => {
    expect((await start([{ kind: 'running' }], [[]], AbortSignal.abort())).outcome).toEqual({
      kind: 'interrupted',
      message: 'Stopped waiting. The execution arn:e continues.',
    })
  })
})
