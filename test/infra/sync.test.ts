import { beforeAll, describe, expect, it } from 'vitest'
import { scheduledInput } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import { type Bundle, synthesize } from './synthesize.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({
    athena: false,
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)' },
      { name: 'AD', schedule: 'cron(30 3 * * ? *)', timezone: 'Europe/Lisbon' },
      { name: 'OFF', schedule: 'rate(1 day)', enabled: false },
      // Names that are similar to each other or to other construct ids.
      { name: 'A-B', schedule: 'rate(1 day)' },
      { name: 'A_B', schedule: 'rate(1 day)' },
      { name: 'Default', schedule: 'rate(1 day)' },
    ],
  })
})

const only = (type: string) => bundle.only(type)

describe('schedules', () => {
  it('start the sync of each enabled entity in its time zone', () => {
    const starts = bundle.of('AWS::Scheduler::Schedule').map(({ properties }) => ({
      input: JSON.parse(properties.Target.Input),
      at: properties.ScheduleExpression,
      zone: properties.ScheduleExpressionTimezone,
    }))
    expect(starts).toContainEqual({
      input: expect.objectContaining({ entity: 'CL', repeat: true }),
      at: 'rate(6 hours)',
      zone: 'UTC',
    })
    expect(starts).toContainEqual({
      input: expect.objectContaining({ entity: 'AD', repeat: true }),
      at: 'cron(30 3 * * ? *)',
      zone: 'Europe/Lisbon',
    })
    expect(new Set(starts.map(({ input }) => input.entity))).toEqual(
      new Set(['CL', 'AD', 'A-B', 'A_B', 'Default']),
    )
  })

  it('start what the worker of 1.0.0 accepts, so that it continues their runs after a rollback', () => {
    for (const { properties } of bundle.of('AWS::Scheduler::Schedule')) {
      const input = JSON.parse(properties.Target.Input)
      // 1.0.0 refuses members that it does not know, but not next to the detail of an event.
      expect(input).toHaveProperty('detail-type')
      expect(input.detail).toEqual({ entity: input.entity })
    }
  })

  it('do not all start in the same second: entities with the same rate are spread', () => {
    const windows = [
      ['rate(1 day)', { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 60 }],
      ['rate(6 hours)', { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 60 }],
      ['rate(1 hour)', { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 }],
      ['rate(20 minutes)', { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 }],
      ['rate(3 minutes)', { Mode: 'OFF' }],
      ['cron(30 3 * * ? *)', { Mode: 'OFF' }],
    ] as const
    const entities = windows.map(([schedule], index) => ({ name: `E${index}`, schedule }))
    const found = synthesize({ entities }).of('AWS::Scheduler::Schedule')
    const spread = found.map(({ properties }) => [
      properties.ScheduleExpression,
      properties.FlexibleTimeWindow,
    ])
    expect(new Map(spread as [string, object][])).toEqual(new Map<string, object>(windows))
  })

  it('are retried, then sent to the dead-letter queue', () => {
    const queue = only('AWS::SQS::Queue')
    for (const { properties } of bundle.of('AWS::Scheduler::Schedule')) {
      expect(properties.Target.Arn).toEqual({ Ref: only('AWS::StepFunctions::StateMachine').id })
      expect(properties.Target.RetryPolicy).toEqual({
        MaximumRetryAttempts: 2,
        MaximumEventAgeInSeconds: 3600,
      })
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

describe('the schedule of increments', () => {
  const withIncrements = synthesize({
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)', increments: { schedule: 'rate(5 minutes)' } },
      {
        name: 'AD',
        schedule: 'rate(6 hours)',
        increments: { schedule: 'cron(0 * * * ? *)' },
        enabled: false,
      },
      { name: 'ST', schedule: 'rate(6 hours)' },
    ],
  })
  const worker = withIncrements.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Worker'))

  it('invokes the worker of an enabled entity without the state machine', () => {
    const ofIncrements = withIncrements
      .of('AWS::Scheduler::Schedule')
      .filter(({ properties }) => JSON.parse(properties.Target.Input).increment)
    expect(ofIncrements.map(({ properties }) => properties)).toEqual([
      expect.objectContaining({
        ScheduleExpression: 'rate(5 minutes)',
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 1 },
        Target: {
          Arn: { 'Fn::GetAtt': [worker?.id, 'Arn'] },
          RoleArn: expect.anything(),
          Input: JSON.stringify(scheduledInput('CL', 'increment')),
          RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        },
      }),
    ])
  })

  it('is not repeated: the next increment covers the window', () => {
    const configsIn = (of: Bundle) =>
      of
        .of('AWS::Lambda::EventInvokeConfig')
        .filter(({ stack }) => stack.endsWith('Sync'))
        .map(({ properties }) => properties)
    expect(configsIn(withIncrements)).toEqual([
      {
        FunctionName: { Ref: worker?.id },
        Qualifier: '$LATEST',
        MaximumEventAgeInSeconds: 60,
        MaximumRetryAttempts: 0,
      },
    ])
    expect(configsIn(bundle)).toEqual([])
  })
})

it('two hundred entities fit into the stacks, the environment variables and the settings', () => {
  const entities = Array.from({ length: 200 }, (_, index) => ({
    name: `entity_${String(index).padStart(3, '0')}_${'x'.repeat(50)}`,
    schedule: `cron(${index % 60} 3 ? * MON-FRI *)`,
    timezone: 'America/Argentina/Buenos_Aires',
    query: { _fields: ['id', ...Array.from({ length: 20 }, (_, field) => `field${field}`)].join() },
  }))
  const large = synthesize({ entities })
  expect(large.of('AWS::Scheduler::Schedule')).toHaveLength(200)
  for (const template of Object.values(large.templates)) {
    expect(Object.keys(JSON.parse(template).Resources).length).toBeLessThan(500)
    expect(Buffer.byteLength(template)).toBeLessThan(1_000_000)
  }
  for (const lambda of large.of('AWS::Lambda::Function')) {
    expect(JSON.stringify(lambda.properties.Environment ?? {}).length).toBeLessThan(4096)
    expect(large.codeOf(lambda).settings).toHaveProperty('entities.length', 200)
  }
  // A role's policies are limited to 10,240 characters.
  for (const { properties } of large.of('AWS::IAM::Policy'))
    expect(JSON.stringify(properties.PolicyDocument).length).toBeLessThan(10_240)
})

it('the comparison has one full processor, 15 minutes and space for the index of two snapshots', () => {
  const compare = bundle.of('AWS::Lambda::Function').find(({ id }) => id.startsWith('Compare'))
  expect(compare?.properties).toMatchObject({
    MemorySize: 1769,
    Timeout: 900,
    EphemeralStorage: { Size: 10240 },
  })
})
