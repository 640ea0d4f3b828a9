import { beforeAll, describe, expect, it } from 'vitest'
import { syncStateMachine } from '../../lib/sync/state-machine.ts'
import { readDefinition } from '../../local/states/definition.ts'
import { type Outcome, startExecution } from '../../local/states/execution.ts'
import { type Bundle, type Resource, synthesise } from './synthesise.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesise({ entities: [{ name: 'CL', schedule: 'rate(6 hours)' }] })
})

const only = (type: string): Resource => {
  const found = bundle.of(type)
  expect(found).toHaveLength(1)
  return found[0] as Resource
}

describe('the state machine', () => {
  it('is a Standard state machine with the definition that `npm start` runs and the ARN of the worker', () => {
    const { properties } = only('AWS::StepFunctions::StateMachine')
    const worker = bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Worker'))
    expect(JSON.parse(properties.DefinitionString)).toEqual(syncStateMachine)
    expect(properties.DefinitionSubstitutions).toEqual({ WorkerArn: { 'Fn::GetAtt': [worker?.id, 'Arn'] } })
    expect(properties.StateMachineType ?? 'STANDARD').toBe('STANDARD')
    expect(bundle.outputs['LongshoreSync.SyncStateMachineArn']).toEqual({
      Ref: only('AWS::StepFunctions::StateMachine').id,
    })
  })

  it('logs every transition without execution data, which may contain documents', () => {
    expect(only('AWS::StepFunctions::StateMachine').properties.LoggingConfiguration).toMatchObject({
      Level: 'ALL',
      IncludeExecutionData: false,
    })
  })

  it('has a longer time limit for the worker than the worker itself', () => {
    const worker = bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Worker'))
    expect(worker?.properties.Timeout).toBe(900)
    expect(syncStateMachine.States.Step.TimeoutSeconds).toBeGreaterThan(900)
  })

  it('invokes the worker until the snapshot is published, and waits in between', async () => {
    const answers = [{ status: 'running' }, { status: 'waiting', waitSeconds: 1 }, { status: 'published' }]
    const calls: unknown[] = []
    const output = await run({
      Step: async (payload) => {
        calls.push(payload)
        return answers[calls.length - 1]
      },
    })
    expect(output).toEqual({ status: 'SUCCEEDED', output: '{"status":"published"}' })
    expect(calls).toHaveLength(3)
    expect(calls[2]).toMatchObject({
      task: 'step',
      input: { entity: 'CL', acceptShrink: true },
      execution: { id: 'execution-1', startedAt: expect.any(String) },
    })
  })

  it('succeeds when the run is skipped', async () => {
    expect(await run({ Step: async () => ({ status: 'skipped' }) })).toMatchObject({ status: 'SUCCEEDED' })
  })

  it.each([
    ['refused', 'SyncRefused'],
    ['failed', 'SyncFailed'],
  ])('fails with the reason when the run is %s', async (status, name) => {
    const outcome = await run({ Step: async () => ({ status, reason: 'fewer by 80 %' }) })
    expect(outcome).toEqual({ status: 'FAILED', error: name, cause: 'fewer by 80 %' })
  })

  it('invokes a crashed worker again', async () => {
    let calls = 0
    const output = await run({
      Step: async () => {
        calls += 1
        if (calls < 5) throw new Error('Runtime exited')
        return { status: 'published' }
      },
    })
    expect(output).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('records a run as failed when the worker crashes every time', async () => {
    const recorded: unknown[] = []
    const outcome = await run({
      Step: async () => {
        throw new Error('Runtime exited')
      },
      RecordFailure: async (payload) => {
        recorded.push(payload)
      },
    })
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCrashed' })
    expect(recorded).toEqual([
      expect.objectContaining({
        task: 'record-failure',
        input: { entity: 'CL', acceptShrink: true },
        error: expect.objectContaining({ Cause: expect.stringContaining('Runtime exited') }),
      }),
    ])
  })

  it.each([['without a cause', Object.assign(new Error(), { name: 'States.Timeout' }), { noCause: true }]])(
    'names a cause when the worker fails %s',
    async (_how, error) => {
      const outcome = await run({
        Step: async () => {
          throw error
        },
      })
      expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCrashed' })
    },
  )

  it.each(['Step', 'RecordFailure'] as const)('retries throttling by Lambda in %s for 20 minutes', (name) => {
    const retrier = syncStateMachine.States[name].Retry.find(({ ErrorEquals }) =>
      ErrorEquals.includes('Lambda.TooManyRequestsException'),
    )
    const { IntervalSeconds = 0, BackoffRate = 0, MaxDelaySeconds = 0, MaxAttempts = 0 } = retrier ?? {}
    const delays = Array.from({ length: MaxAttempts }, (_, attempt) =>
      Math.min(MaxDelaySeconds, IntervalSeconds * BackoffRate ** attempt),
    )
    // Full jitter halves the delays on average.
    const seconds = delays.reduce((sum, delay) => sum + delay, 0) / 2
    expect(seconds).toBeGreaterThan(20 * 60)
    expect(seconds).toBeLessThan(25 * 60)
  })

  it.each([{}, { status: 'unheard-of' }])(
    'fails with UnknownWorkerStatus when the worker answers %j',
    async (answer) => {
      expect(await run({ Step: async () => answer })).toMatchObject({
        status: 'FAILED',
        error: 'UnknownWorkerStatus',
      })
    },
  )

  it('fails when a run was cancelled and its execution was not stopped', async () => {
    const outcome = await run({ Step: async () => ({ status: 'cancelled' }) })
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCancelled' })
  })
})

/** Runs the definition with these handlers and without waiting. */
async function run(handlers: Record<string, (payload: unknown) => Promise<unknown>>): Promise<Outcome> {
  const input = { entity: 'CL', acceptShrink: true }
  const execution = { Id: 'execution-1', Name: 'test', StartTime: new Date(0).toISOString(), Input: input }
  return startExecution(
    readDefinition(syncStateMachine),
    { Execution: execution },
    {
      invoke: (_resource, payload) => {
        const { task } = payload as { task: string }
        const handler = handlers[task === 'step' ? 'Step' : 'RecordFailure']
        return handler ? handler(payload) : Promise.resolve({})
      },
      sleep: async () => {},
      random: () => 1,
    },
  ).outcome
}
