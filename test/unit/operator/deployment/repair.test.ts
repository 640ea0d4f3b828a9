import { describe, expect, it } from 'vitest'
import { createStackStore } from '../../../../operator/aws/stacks.aws.ts'
import { repairSchedules } from '../../../../operator/deployment/repair.ts'
import { compareSchedules } from '../../../../operator/deployment/schedules.ts'
import { failureOf } from '../../../../operator/errors.ts'
import type { ApiSchedule } from '../../../serve-schedules.ts'
import { serveAccount } from './served-account.ts'

const defined = {
  ScheduleExpression: 'rate(1 day)',
  ScheduleExpressionTimezone: 'UTC',
  State: 'ENABLED',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target: {
    Arn: 'arn:machine',
    RoleArn: 'arn:aws:iam::123456789012:role/scheduler',
    Input: '{"entity":"CL"}',
  },
}
const times = { CreationDate: 1_760_000_000, LastModificationDate: 1_760_000_000 }

const ofIncrements = {
  ...defined,
  ScheduleExpression: 'rate(5 minutes)',
  Target: { ...defined.Target, Arn: 'arn:function', Input: '{"entity":"CL","increment":true}' },
}

interface Account {
  /** What exists of the schedule of CL. */
  readonly existing: ApiSchedule | undefined
  /** The same of its increments; none by default. */
  readonly increments?: { readonly existing: ApiSchedule | undefined }
}

/** Does something in an account where the stack defines the schedules of CL. */
async function withAccount<T>({ existing, increments }: Account, work: (config: string) => Promise<T>) {
  const existingOnes = { 'ShopSync-CL': existing, 'ShopSync-Increment-CL': increments?.existing }
  const schedules = new Map<string, ApiSchedule>(
    Object.entries(existingOnes).flatMap(([id, one]) => (one ? [[id, { ...one, ...times }]] : [])),
  )
  const resources = {
    'ShopSync-CL': { Properties: defined },
    ...(increments && { 'ShopSync-Increment-CL': { Properties: ofIncrements } }),
  }
  const entities = ['CL', 'AD'].map((name) => ({ name, schedule: 'rate(1 day)' }))
  const config = await serveAccount({ schedules, resources, entities })
  return {
    ...(await work(config)),
    schedule: schedules.get('ShopSync-CL'),
    ofIncrements: schedules.get('ShopSync-Increment-CL'),
  }
}

const repair = (existing: ApiSchedule | undefined, entity = 'CL') =>
  withAccount({ existing }, async (config) => ({
    result: await repairSchedules(entity, { kind: 'stacks', config, name: 'Shop' }).catch(failureOf),
  }))

it('compares every deployed schedule with the account', async () => {
  const { facts } = await withAccount({ existing: undefined }, async () => {
    const stateMachineArn = 'arn:machine'
    return { facts: await compareSchedules({ name: 'Shop', stateMachineArn }, createStackStore()) }
  })
  expect(facts).toMatchObject([{ definition: { entity: 'CL' }, existing: undefined, differences: [] }])
})

const repaired = (...list: string[]) => [
  { entity: 'CL', starts: 'full', expression: 'rate(1 day)', timezone: 'UTC', repaired: list },
]

describe('repairing a schedule', () => {
  it('creates one that was deleted', async () => {
    expect(await repair(undefined)).toMatchObject({
      result: repaired('it did not exist'),
      schedule: { Name: 'ShopSync-CL', ...defined },
    })
  })

  it.each<[change: object, repaired: string[]]>([
    [{ ScheduleExpression: 'rate(2 days)' }, ['its expression is rate(2 days), not rate(1 day)']],
    [{ State: 'DISABLED' }, ['it was disabled']],
    [
      { ScheduleExpressionTimezone: 'Europe/Lisbon', State: 'DISABLED' },
      ['its time zone is Europe/Lisbon, not UTC', 'it was disabled'],
    ],
  ])('makes it what is deployed: %j', async (change, list) => {
    const { result, schedule } = await repair({ ...defined, ...change })
    expect(result).toEqual(repaired(...list))
    expect(schedule).toMatchObject(defined)
  })

  it('writes nothing if it is as deployed', async () => {
    expect(await repair(defined)).toEqual({ result: repaired(), schedule: { ...defined, ...times } })
  })

  it('restores that of increments too', async () => {
    const increments = { existing: undefined }
    const { result, ...account } = await withAccount({ existing: defined, increments }, async (config) => ({
      result: await repairSchedules('CL', { kind: 'stacks', config, name: 'Shop' }),
    }))
    const ofCl = { entity: 'CL', starts: 'increment', expression: 'rate(5 minutes)', timezone: 'UTC' }
    expect(result).toEqual([...repaired(), { ...ofCl, repaired: ['it did not exist'] }])
    expect(account).toMatchObject({ schedule: defined, ofIncrements })
  })

  it('refuses an entity whose schedule is not deployed', async () => {
    expect((await repair(defined, 'AD')).result).toMatchObject({
      kind: 'problem',
      message: 'The schedule of AD is configured, but not deployed.',
      fix: expect.stringMatching(/^npm run deploy -- -c config=.+ -c name=Shop$/),
    })
  })
})
