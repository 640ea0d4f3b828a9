import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { awsEnvironment } from '../../../local/embedded/environment.ts'
import type { Served } from '../../../local/embedded/listen.ts'
import type { ScheduleProperties } from '../../../operator/deployment/definition.ts'
import { createScheduleStore } from '../../../operator/deployment/schedule-store.aws.ts'
import { nextRuns, readSchedules } from '../../../operator/deployment/schedules.ts'
import { type ApiSchedule, serveSchedules } from '../../serve-schedules.ts'

const createdAt = Date.parse('2026-11-22T03:00:00Z')

/** With every property that the API knows. */
const full: ApiSchedule = {
  Arn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/cl',
  Name: 'cl',
  GroupName: 'default',
  ScheduleExpression: 'rate(1 day)',
  ScheduleExpressionTimezone: 'UTC',
  StartDate: 1_900_000_000,
  EndDate: 2_000_000_000,
  Description: 'Syncs CL',
  State: 'ENABLED',
  KmsKeyArn: 'arn:aws:kms:us-east-1:000000000000:key/1',
  ActionAfterCompletion: 'NONE',
  FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
  Target: {
    Arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:sync',
    RoleArn: 'arn:aws:iam::000000000000:role/scheduler',
    Input: '{"entity":"CL"}',
    RetryPolicy: { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 3600 },
    DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:starts' },
  },
  CreationDate: createdAt / 1000,
  LastModificationDate: createdAt / 1000,
}

const schedules = new Map<string, ApiSchedule>()
let served: Served
let store: ReturnType<typeof createScheduleStore>
beforeAll(async () => {
  served = await serveSchedules(schedules)
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  store = createScheduleStore(
    new SchedulerClient({ endpoint: served.endpoint, region: 'us-east-1', credentials }),
  )
})
beforeEach(() => void schedules.set('cl', full))
afterAll(() => served.close())

describe('a schedule', () => {
  it('is read with the entity that it starts', async () => {
    expect(await store.read('default|cl')).toMatchObject({
      entity: 'CL',
      expression: 'rate(1 day)',
      timezone: 'UTC',
      enabled: true,
      changedAt: '2026-11-22T03:00:00.000Z',
    })
  })

  it('counts its intervals from its start, or else from its creation', async () => {
    expect(await store.read('cl')).toMatchObject({ startsAt: 1_900_000_000_000 })
    schedules.set('cl', { ...full, StartDate: undefined })
    expect(await store.read('cl')).toMatchObject({ startsAt: createdAt })
  })

  it('is not found if it was deleted, so that the others can still be checked', async () => {
    expect(await store.read('gone')).toBeUndefined()
  })

  it('keeps every other property when it is enabled', async () => {
    schedules.set('cl', { ...full, State: 'DISABLED' })
    await store.enable('default|cl')
    expect(schedules.get('cl')).toEqual({
      ...full,
      Arn: undefined,
      LastModificationDate: expect.any(Number) as number,
      ClientToken: expect.any(String) as string,
    })
  })
})

it('the schedules of a deployment are read from its stack, without those that were deleted', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_SCHEDULER', served.endpoint)
  for (const [name, value] of Object.entries(awsEnvironment({}))) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const asked: string[][] = []
  const stacks = {
    resources: async (...args: string[]) => {
      asked.push(args)
      return ['gone', 'default|cl'].map((physicalId) => ({ physicalId }))
    },
  }
  expect(await readSchedules('Shop', stacks as never)).toMatchObject([{ id: 'default|cl', entity: 'CL' }])
  expect(asked).toEqual([['ShopSync', 'AWS::Scheduler::Schedule']])
})

describe('the next run', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  const schedule = {
    id: 'cl',
    entity: 'CL',
    starts: 'full' as const,
    expression: 'rate(6 hours)',
    timezone: 'UTC',
    enabled: true,
    startsAt: createdAt,
    changedAt: '',
    properties: {} as ScheduleProperties,
  }

  it.each([
    ['the end of the interval', schedule, { kind: 'run', at: '2026-11-22T15:00:00.000Z' }],
    ['paused for a disabled schedule', { ...schedule, enabled: false }, { kind: 'paused' }],
    ['none without a schedule', undefined, { kind: 'none' }],
    [
      'none for a one-time schedule',
      { ...schedule, expression: 'at(2026-11-23T00:00:00)' },
      { kind: 'none' },
    ],
    [
      'none for a year that has passed',
      { ...schedule, expression: 'cron(0 0 1 1 ? 2020)' },
      { kind: 'none' },
    ],
  ])('is %s', (_, given, expected) => {
    expect(nextRuns(given ? [given] : [], now)('CL', null)).toEqual(expected)
  })

  it.each([
    ['with its end', schedule, '2026-11-23T06:00:00.000Z', { until: '2026-11-23T06:00:00.000Z' }],
    ['without an end', schedule, null, {}],
    ['without an end if disabled', { ...schedule, enabled: false }, '2026-11-23T06:00:00.000Z', {}],
    [
      'with its end if the schedules are unknown',
      undefined,
      '2026-11-23T06:00:00.000Z',
      { until: '2026-11-23T06:00:00.000Z' },
    ],
  ])('is a pause %s', (...[, given, until, expected]) => {
    const pause = { by: 'user/ana', since: '2026-11-22T11:00:00.000Z', reason: null, until }
    expect(nextRuns(given ? [given] : undefined, now)('CL', pause)).toEqual({ kind: 'paused', ...expected })
  })

  it('is found by the entity, and unknown if the schedules could not be read', () => {
    const other = { ...schedule, entity: 'AD', enabled: false }
    expect(nextRuns([schedule, other], now)('AD', null)).toEqual({ kind: 'paused' })
    expect(nextRuns([schedule], now)('AD', null)).toEqual({ kind: 'none' })
    expect(nextRuns(undefined, now)('CL', null)).toEqual({ kind: 'unknown' })
  })
})
