import { beforeAll, describe, expect, it } from 'vitest'
import { scheduledInput } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import { readWorkerRequest } from '../../functions/worker/request.ts'
import { syncStateMachine } from '../../lib/sync/state-machine.ts'
import { input, run } from './run-state-machine.ts'
import { type Bundle, synthesize } from './synthesize.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({ entities: [{ name: 'CL', schedule: 'rate(6 hours)' }] })
})

const only = (type: string) => bundle.only(type)

const functionOf = (start: string) =>
  bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith(start))

describe('the state machine', () => {
  it('is a Standard state machine with the definition that `npm start` runs and the ARNs of the functions', () => {
    const { properties } = only('AWS::StepFunctions::StateMachine')
    const [worker, compare, tables] = ['Worker', 'Compare', 'Tables'].map(functionOf)
    expect(JSON.parse(properties.DefinitionString)).toEqual(syncStateMachine)
    expect(properties.DefinitionSubstitutions).toEqual({
      WorkerArn: { 'Fn::GetAtt': [worker?.id, 'Arn'] },
      CompareArn: { 'Fn::GetAtt': [compare?.id, 'Arn'] },
      TablesArn: { 'Fn::GetAtt': [tables?.id, 'Arn'] },
      InvokeAndAwaitToken: {
        'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':states:::lambda:invoke.waitForTaskToken']],
      },
    })
    expect(properties.StateMachineType ?? 'STANDARD').toBe('STANDARD')
    expect(bundle.outputs['LongshoreSync.SyncStateMachineArn']).toEqual({
      Ref: only('AWS::StepFunctions::StateMachine').id,
    })
  })

  it('continues only at states that exist', () => {
    const targets = [...JSON.stringify(syncStateMachine).matchAll(/"(?:StartAt|Next|Default)":"(\w+)"/g)]
    const { States } = syncStateMachine
    const names = [...Object.keys(States), ...Object.keys(States.WriteChunks.ItemProcessor.States)]
    expect(new Set(targets.map(([, name]) => name))).toEqual(new Set(names))
  })

  it('logs every transition without execution data, which may contain documents', () => {
    const { LoggingConfiguration } = only('AWS::StepFunctions::StateMachine').properties
    expect(LoggingConfiguration).toMatchObject({ Level: 'ALL', IncludeExecutionData: false })
  })

  it('has a longer time limit for each function than the function itself', () => {
    for (const name of ['Worker', 'Compare', 'Tables']) expect(functionOf(name)?.properties.Timeout).toBe(900)
    const { States } = syncStateMachine
    const all = [...Object.values(States), ...Object.values(States.WriteChunks.ItemProcessor.States)]
    const tasks = all.filter(({ Type }) => Type === 'Task')
    expect(tasks).toHaveLength(9)
    for (const state of tasks)
      expect(state).toMatchObject(
        state === States.AwaitSlot ? { TimeoutSecondsPath: '$.slotSeconds' } : { TimeoutSeconds: 930 },
      )
  })

  it('invokes the worker until the snapshot is published, and waits in between', async () => {
    const responses = [{ status: 'running' }, { status: 'waiting', waitSeconds: 1 }, { status: 'published' }]
    const calls: unknown[] = []
    const output = await run({
      Step: async (payload) => {
        calls.push(payload)
        return responses[calls.length - 1]
      },
    })
    expect(output).toEqual({ status: 'SUCCEEDED', output: '{"status":"published","table":{}}' })
    expect(calls).toHaveLength(3)
    const execution = { id: 'execution-1', startedAt: expect.any(String) }
    expect(calls[2]).toMatchObject({ task: 'step', input, execution })
  })

  describe('of a run that waits for a slot', () => {
    const earlier = { status: 'waiting', entity: 'CL', runId: 'run-1', slot: 'syncs', waitSeconds: 15 }
    const waits = { ...earlier, slotSeconds: 3_700 }
    const published = { status: 'published', entity: 'CL', runId: 'run-1' }
    const twoSteps = () => {
      const responses = [waits, published]
      return async () => responses.shift()
    }

    it('gives its token to the worker, and invokes it again as soon as the token is sent', async () => {
      const given: unknown[] = []
      const slept: number[] = []
      const outcome = await run(
        { Step: twoSteps(), AwaitSlot: async (payload) => void given.push(payload) },
        {
          sleep: async (ms) => void slept.push(ms),
          afterInvocation: (send) => void send((given[0] as { token: string } | undefined)?.token ?? ''),
        },
      )
      expect(outcome.status).toBe('SUCCEEDED')
      expect(given).toEqual([
        { task: 'await-slot', slot: 'syncs', runId: 'run-1', token: expect.any(String) },
      ])
      expect(slept).toEqual([])
    })

    it('invokes the worker again after the time that it names if the token is not sent', async () => {
      const slept: number[] = []
      const outcome = await run({ Step: twoSteps() }, { sleep: async (ms) => void slept.push(ms) })
      expect(outcome.status).toBe('SUCCEEDED')
      expect(slept).toEqual([3_700_000])
    })

    it('invokes a worker of an earlier version again soon, which names no such time', async () => {
      const slept: number[] = []
      const responses = [earlier, published]
      const Step = async () => responses.shift()
      const outcome = await run({ Step }, { sleep: async (ms) => void slept.push(ms) })
      expect(outcome.status).toBe('SUCCEEDED')
      expect(slept).toEqual([15_000])
    })

    it('gives a new token after each crash, and invokes the worker if all of them crash', async () => {
      const tokens = new Set<string>()
      const outcome = await run({
        Step: twoSteps(),
        AwaitSlot: async (payload) => {
          tokens.add((payload as { token: string }).token)
          throw new Error('out of memory')
        },
      })
      expect(outcome.status).toBe('SUCCEEDED')
      expect(tokens.size).toBe(13)
    })

    it('is read by the worker', () => {
      const wait = { slot: 'syncs', runId: '20310101T000000000Z-0123456789ab', token: 'one' }
      expect(readWorkerRequest({ task: 'await-slot', ...wait })).toEqual({ kind: 'await-slot', wait })
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

  describe('after a run that the worker offers to repeat', () => {
    const scheduled = scheduledInput('CL', 'full')
    const of = '20310102T120000000Z-0123456789ab'
    const repeat = { runId: '20310102T121500000Z-0123456789ab', of, after: of }
    const failed = { status: 'failed', reason: 'No connection.', repeat: { ...repeat, waitSeconds: 300 } }
    const running = { status: 'running', repeat }

    it('waits and works on the repeat until it has ended, if a schedule started the execution', async () => {
      const responses = [{ status: 'running' }, failed, running, { status: 'published' }]
      const requests: unknown[] = []
      const waits: number[] = []
      const outcome = await run(
        {
          Step: async (payload) => {
            requests.push(readWorkerRequest(payload))
            return responses[requests.length - 1]
          },
        },
        { Input: scheduled, sleep: async (ms) => void waits.push(ms) },
      )
      expect(outcome).toMatchObject({ status: 'SUCCEEDED' })
      expect(waits).toEqual([300_000])
      const first = { request: { driver: { runId: expect.stringMatching(/^19700101T000000000Z/) } } }
      const second = { request: { driver: { runId: repeat.runId, repeat: { of, after: of } } } }
      expect(requests).toMatchObject([first, first, second, second])
    })

    it('records the failure of the repeat whose worker keeps crashing', async () => {
      const recorded: unknown[] = []
      let steps = 0
      const outcome = await run(
        {
          Step: async () => {
            if (++steps > 1) throw new Error('Runtime exited')
            return failed
          },
          RecordFailure: async (payload) => void recorded.push(readWorkerRequest(payload)),
        },
        { Input: scheduled },
      )
      expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCrashed' })
      const driver = { kind: 'record-failure', runId: repeat.runId, repeat: { of, after: of } }
      expect(recorded).toMatchObject([{ request: { driver } }])
    })

    it('fails as a run that is not offered again', async () => {
      const responses = [failed, { status: 'failed', reason: 'Still no connection.' }]
      const outcome = await run({ Step: async () => responses.shift() }, { Input: scheduled })
      expect(outcome).toEqual({ status: 'FAILED', error: 'SyncFailed', cause: 'Still no connection.' })
    })

    it.each([
      ['somebody started it', input],
      ['its input does not want it', { entity: 'CL', repeat: false }],
      ['a rule of EventBridge started it', { 'detail-type': 'Sync', detail: scheduled }],
    ])('fails at once if %s', async (_, Input) => {
      const outcome = await run({ Step: async () => failed }, { Input })
      expect(outcome).toEqual({ status: 'FAILED', error: 'SyncFailed', cause: 'No connection.' })
    })

    it('has time for four runs of a day each and the waits between them', () =>
      expect(syncStateMachine.TimeoutSeconds).toBe((4 * 24 * 60 + 5 + 15 + 60) * 60))
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
      RecordFailure: async (payload) => void recorded.push(payload),
    })
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCrashed' })
    const error = expect.objectContaining({ Cause: expect.stringContaining('Runtime exited') })
    expect(recorded).toEqual([expect.objectContaining({ task: 'record-failure', input, error })])
  })

  it('reads the cause of a crash only if there is one, since States.Timeout may come without', () => {
    const { Step, RecordFailure, HasCause } = syncStateMachine.States
    expect(Step.Catch.map(({ Next }) => Next)).toEqual(['RecordFailure'])
    expect([...RecordFailure.Catch, RecordFailure].map(({ Next }) => Next)).toEqual(['HasCause', 'HasCause'])
    expect(HasCause).toMatchObject({
      Choices: [{ Variable: '$.error.Cause', IsPresent: true, Next: 'Crashed' }],
      Default: 'CrashedWithoutCause',
    })
  })

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
    'fails with UnknownWorkerStatus when the worker returns %j',
    async (response) => {
      const outcome = await run({ Step: async () => response })
      expect(outcome).toMatchObject({ status: 'FAILED', error: 'UnknownWorkerStatus' })
    },
  )

  it('fails when a run was cancelled and its execution was not stopped', async () => {
    const outcome = await run({ Step: async () => ({ status: 'cancelled' }) })
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCancelled' })
  })
})
