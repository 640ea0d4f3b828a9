import { beforeAll, describe, expect, it } from 'vitest'
import { syncLoop } from '../../lib/sync/state-machine.ts'
import { readDefinition } from '../../local/states/definition.ts'
import { type Outcome, startExecution } from '../../local/states/execution.ts'
import { type Bundle, type Resource, synthesise } from './synthesise.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesise({
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)' },
      { name: 'AD', schedule: 'cron(30 3 * * ? *)', timezone: 'Europe/Lisbon' },
      { name: 'OFF', schedule: 'rate(1 day)', enabled: false },
      // Names that could be mistaken for one another, or for other parts of the stack.
      { name: 'A-B', schedule: 'rate(1 day)' },
      { name: 'A_B', schedule: 'rate(1 day)' },
      { name: 'Default', schedule: 'rate(1 day)' },
    ],
  })
})

const only = (type: string): Resource => {
  const found = bundle.of(type)
  expect(found).toHaveLength(1)
  return found[0] as Resource
}

describe('schedules', () => {
  it('start the sync of each enabled entity in its time zone', () => {
    const starts = bundle.of('AWS::Scheduler::Schedule').map(({ properties }) => ({
      entity: JSON.parse(properties.Target.Input),
      at: properties.ScheduleExpression,
      zone: properties.ScheduleExpressionTimezone,
    }))
    expect(starts).toContainEqual({ entity: { entity: 'CL' }, at: 'rate(6 hours)', zone: 'UTC' })
    expect(starts).toContainEqual({
      entity: { entity: 'AD' },
      at: 'cron(30 3 * * ? *)',
      zone: 'Europe/Lisbon',
    })
    expect(new Set(starts.map(({ entity }) => entity.entity))).toEqual(
      new Set(['CL', 'AD', 'A-B', 'A_B', 'Default']),
    )
  })

  it('are tried again a little, and then put where somebody finds them', () => {
    const queue = only('AWS::SQS::Queue')
    for (const { properties } of bundle.of('AWS::Scheduler::Schedule')) {
      expect(properties.Target.Arn).toEqual({ Ref: only('AWS::StepFunctions::StateMachine').id })
      expect(properties.Target.RetryPolicy.MaximumRetryAttempts).toBe(2)
      expect(properties.Target.DeadLetterConfig.Arn).toEqual({ 'Fn::GetAtt': [queue.id, 'Arn'] })
      expect(properties.State).not.toBe('DISABLED')
    }
    expect(queue.properties).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 86_400,
    })
    expect(only('AWS::SQS::QueuePolicy').properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    )
  })
})

describe('two hundred entities', () => {
  it('fit into the stacks, the variables and the settings', () => {
    const entities = Array.from({ length: 200 }, (_, index) => ({
      name: `entity_${String(index).padStart(3, '0')}_${'x'.repeat(50)}`,
      schedule: `cron(${index % 60} 3 ? * MON-FRI *)`,
      timezone: 'America/Argentina/Buenos_Aires',
      query: { _fields: Array.from({ length: 20 }, (_, field) => `field${field}`).join() },
    }))
    const large = synthesise({ entities })
    expect(large.of('AWS::Scheduler::Schedule')).toHaveLength(200)
    for (const template of Object.values(large.templates)) {
      expect(Object.keys(JSON.parse(template).Resources).length).toBeLessThan(500)
      expect(Buffer.byteLength(template)).toBeLessThan(1_000_000)
    }
    for (const lambda of large.of('AWS::Lambda::Function')) {
      expect(JSON.stringify(lambda.properties.Environment ?? {}).length).toBeLessThan(4096)
      expect(large.codeOf(lambda).settings).toHaveProperty('entities.length', 200)
    }
    // The policy of a role holds 10,240 characters.
    for (const { properties } of large.of('AWS::IAM::Policy'))
      expect(JSON.stringify(properties.PolicyDocument).length).toBeLessThan(10_240)
  })
})

describe('the state machine', () => {
  it('is a Standard one and is deployed as `npm start` runs it, with the worker in its place', () => {
    const { properties } = only('AWS::StepFunctions::StateMachine')
    const worker = bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Worker'))
    expect(JSON.parse(properties.DefinitionString)).toEqual(syncLoop)
    expect(properties.DefinitionSubstitutions).toEqual({ WorkerArn: { 'Fn::GetAtt': [worker?.id, 'Arn'] } })
    expect(properties.StateMachineType ?? 'STANDARD').toBe('STANDARD')
    expect(bundle.outputs['LongshoreSync.SyncStateMachineArn']).toEqual({
      Ref: only('AWS::StepFunctions::StateMachine').id,
    })
  })

  it('logs every transition, without what documents may stand in', () => {
    expect(only('AWS::StepFunctions::StateMachine').properties.LoggingConfiguration).toMatchObject({
      Level: 'ALL',
      IncludeExecutionData: false,
    })
  })

  it('gives the worker longer than the worker has', () => {
    const worker = bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Worker'))
    expect(worker?.properties.Timeout).toBe(900)
    expect(syncLoop.States.Step.TimeoutSeconds).toBeGreaterThan(900)
  })

  it('steps until the snapshot is published, and waits when told to', async () => {
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

  it('ends well when the run was skipped', async () => {
    expect(await run({ Step: async () => ({ status: 'skipped' }) })).toMatchObject({ status: 'SUCCEEDED' })
  })

  it.each([
    ['refused', 'SyncRefused'],
    ['failed', 'SyncFailed'],
  ])('fails with the reason when the run was %s', async (status, name) => {
    const outcome = await run({ Step: async () => ({ status, reason: 'fewer by 80 %' }) })
    expect(outcome).toEqual({ status: 'FAILED', error: name, cause: 'fewer by 80 %' })
  })

  it('tries a crashed step again', async () => {
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

  it('has a run recorded as failed whose step crashes for good', async () => {
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

  it('ends a cancelled run that nobody stopped', async () => {
    const outcome = await run({ Step: async () => ({ status: 'cancelled' }) })
    expect(outcome).toMatchObject({ status: 'FAILED', error: 'SyncCancelled' })
  })
})

/** Runs the definition with these functions and without waiting. */
async function run(handlers: Record<string, (payload: unknown) => Promise<unknown>>): Promise<Outcome> {
  const input = { entity: 'CL', acceptShrink: true }
  const execution = { Id: 'execution-1', Name: 'test', StartTime: new Date(0).toISOString(), Input: input }
  return startExecution(
    readDefinition(syncLoop),
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
