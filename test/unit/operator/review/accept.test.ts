import { describe, expect, it } from 'vitest'
import type { ExecutionState } from '../../../../operator/aws/executions.aws.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { type AcceptanceRequest, acceptRefusal } from '../../../../operator/review/accept.ts'
import { noPause } from '../../../pauses.ts'

const refusal = { entity: 'CL', runId: 'r2', guard: 'changes' } as const

async function accept(
  states: readonly ExecutionState[],
  signal = new AbortController().signal,
  accepted: AcceptanceRequest = refusal,
) {
  const inputs: object[] = []
  const ids: string[] = []
  const executions = {
    start: async (input: object) => {
      inputs.push(input)
      return { id: 'arn:e', startedAt: 0 }
    },
    read: async (id: string) => {
      ids.push(id)
      return states[ids.length - 1] as ExecutionState
    },
  }
  const failure = await acceptRefusal({ executions, by: 'user/ana', pause: noPause, signal }, accepted).catch(
    failureOf,
  )
  return { failure, inputs, ids }
}

const ended = (status: string, cause?: string) => ({ kind: 'ended', status, cause }) as const

describe('the acceptance of what a guard refused', () => {
  it('starts an execution that names who accepts it, and waits until it has ended', async () => {
    expect(await accept([{ kind: 'running' }, ended('SUCCEEDED')])).toEqual({
      failure: undefined,
      inputs: [{ entity: 'CL', accept: { runId: 'r2', guard: 'changes', by: 'user/ana' } }],
      ids: ['arn:e', 'arn:e'],
    })
  })

  it('accepts the change set of a snapshot with it', async () => {
    const accepted = { runId: 'r2', guard: 'snapshot', withChanges: true } as const
    const { inputs } = await accept([ended('SUCCEEDED')], undefined, { entity: 'CL', ...accepted })
    expect(inputs).toEqual([{ entity: 'CL', accept: { ...accepted, by: 'user/ana' } }])
  })

  it.each([
    ['A newer run has published.', 'Run r2 of CL was not published. A newer run has published.'],
    [undefined, 'Run r2 of CL was not published.'],
  ])('fails with the cause of the execution: %s', async (cause, message) => {
    const { failure } = await accept([ended('FAILED', cause)])
    expect(failure).toEqual({ kind: 'problem', message, fix: undefined })
  })

  it.each(['ABORTED', 'TIMED_OUT'])('fails if the execution has ended as %s', async (status) => {
    const { failure } = await accept([{ kind: 'running' }, ended(status)])
    expect(failure).toMatchObject({ kind: 'problem', message: 'Run r2 of CL was not published.' })
  })

  it('continues when it is no longer awaited', async () => {
    const { failure } = await accept([{ kind: 'running' }], AbortSignal.abort())
    const message = 'Stopped waiting. The execution arn:e continues.'
    expect(failure).toEqual({ kind: 'interrupted', message })
  })
})
