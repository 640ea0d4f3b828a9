import { describe, expect, it } from 'vitest'
import { findSchedules } from '../../../operator/deployment/find-schedule.ts'
import { defaultInstancePath } from '../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../operator/errors.ts'
import { serveAccount } from './deployment/served-account.ts'

describe('a schedule', () => {
  it('of npm start is that of its configuration', async () => {
    expect(await findSchedules('CL', { kind: 'local', path: defaultInstancePath }).catch(failureOf)).toEqual({
      kind: 'problem',
      message: 'npm start runs the schedules of its configuration. There is nothing to repair.',
      fix: 'start a sync by hand: npx --no-install longshore --local sync CL',
    })
  })

  it.each([
    ['may be missing in the account', ['AD']],
    ['is missing if only its increments are scheduled', ['AD', 'CL increment']],
  ])('%s', async (_, starts) => {
    const target = { kind: 'stacks', config: await deployShop(starts), name: 'Shop' } as const
    expect(await findSchedules('CL', target).catch(failureOf)).toEqual({
      kind: 'problem',
      message: 'CL has no schedule in the account.',
      fix: `npx --no-install longshore repair-schedule CL --config ${target.config} --name Shop`,
    })
  })

  it('of increments follows that of full syncs', async () => {
    const target = {
      kind: 'stacks',
      config: await deployShop(['CL increment', 'AD', 'CL']),
      name: 'Shop',
    } as const
    expect(await findSchedules('CL', target)).toMatchObject([
      { entity: 'CL', starts: 'full' },
      { entity: 'CL', starts: 'increment' },
    ])
  })

  it('does not exist for an entity that is not configured', async () => {
    const target = { kind: 'stacks', config: await deployShop(['CL']), name: 'Shop' } as const
    const message = 'The entity ZZ is not configured. Entities: CL, AD.'
    expect(await findSchedules('ZZ', target).catch(failureOf)).toMatchObject({ message })
  })
})

/** Serves stacks with schedules that start these, and returns their configuration file. */
function deployShop(starts: readonly string[]): Promise<string> {
  const schedule = 'rate(1 day)'
  const schedules = starts.map((start) => {
    const [entity, increment] = start.split(' ')
    const Input = JSON.stringify({ entity, ...(increment && { increment: true }) })
    return [`ShopSync-${start.replace(' ', '-')}`, { State: 'ENABLED', Target: { Input } }] as const
  })
  return serveAccount({
    schedules: new Map(schedules),
    resources: Object.fromEntries(schedules.map(([id]) => [id, {}])),
    entities: [
      { name: 'CL', schedule },
      { name: 'AD', schedule, enabled: false },
    ],
  })
}
