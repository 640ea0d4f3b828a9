import { describe, expect, it } from 'vitest'
import { defaultInstancePath } from '../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../operator/errors.ts'
import { findSchedules, requireScheduled, schedulesOf } from '../../../operator/schedules/find-schedule.ts'
import type { DeployedSchedule } from '../../../operator/schedules/schedule-store.aws.ts'
import { serveAccount } from './schedules/served-account.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const schedule = { entity: 'CL', starts: 'full' } as DeployedSchedule

function failureIn(work: () => unknown) {
  try {
    work()
  } catch (error) {
    return failureOf(error)
  }
  return undefined
}

describe('a schedule', () => {
  it('does not exist for an entity that is not enabled', () => {
    const entities = [
      { name: 'CL', enabled: true },
      { name: 'AD', enabled: false },
    ] as never
    expect(() => requireScheduled({ entities }, 'CL')).not.toThrow()
    const failure = failureIn(() => requireScheduled({ entities }, 'AD'))
    expect(failure).toEqual({
      kind: 'problem',
      message: 'AD has no schedule: the configuration has `enabled: false`.',
      fix: 'to schedule it, remove `enabled: false` and deploy',
    })
  })

  it('does not exist in npm start', async () => {
    const failure = await findSchedules('CL', { kind: 'local', path: defaultInstancePath }).catch(failureOf)
    expect(failure).toEqual({
      kind: 'problem',
      message: 'npm start runs no schedules.',
      fix: 'start a sync by hand: npx --no-install longshore --local sync CL',
    })
  })

  it('may be missing in the account', () => {
    expect(schedulesOf('CL', [{ ...schedule, entity: 'AD' }, schedule], target)).toEqual([schedule])
    const increments = { ...schedule, starts: 'increment' } as const
    expect(schedulesOf('CL', [increments, schedule], target)).toEqual([schedule, increments])
    expect(failureIn(() => schedulesOf('CL', [increments], target))).toMatchObject({
      message: 'CL has no schedule in the account.',
    })
    expect(failureIn(() => schedulesOf('ZZ', [schedule], target))).toEqual({
      kind: 'problem',
      message: 'ZZ has no schedule in the account.',
      fix: 'npx --no-install longshore repair-schedule ZZ --name Shop',
    })
  })

  it.each([
    [
      'of an entity is found by its configuration and in the account',
      'CL',
      [{ id: 'ShopSync-CL', entity: 'CL' }],
    ],
    [
      'does not exist for an entity that is not configured',
      'ZZ',
      { message: 'The entity ZZ is not configured. Entities: CL, AD.' },
    ],
    [
      'does not exist for an entity that is not enabled, although the account has one',
      'AD',
      { message: 'AD has no schedule: the configuration has `enabled: false`.' },
    ],
  ])('%s', async (_, entity, expected) => {
    const config = await deployShop()
    const found = await findSchedules(entity, { kind: 'stacks', config, name: 'Shop' }).catch(failureOf)
    expect(found).toMatchObject(expected)
  })
})

/** Serves stacks with the schedules of CL and AD, and returns their configuration file. */
function deployShop(): Promise<string> {
  const ids = ['CL', 'AD'].map((entity) => [entity, `ShopSync-${entity}`] as const)
  const schedule = 'rate(1 day)'
  return serveAccount({
    schedules: new Map(
      ids.map(([entity, id]) => [id, { State: 'ENABLED', Target: { Input: JSON.stringify({ entity }) } }]),
    ),
    resources: Object.fromEntries(ids.map(([, id]) => [id, {}])),
    entities: [
      { name: 'CL', schedule },
      { name: 'AD', schedule, enabled: false },
    ],
  })
}
