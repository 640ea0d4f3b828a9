import { describe, expect, it } from 'vitest'
import type { DeployedSchedule } from '../../../operator/aws/schedules.aws.ts'
import { defaultInstancePath } from '../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../operator/errors.ts'
import { findSchedule, requireScheduled, scheduleOf } from '../../../operator/schedules/find-schedule.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const schedule = { entity: 'CL' } as DeployedSchedule

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
    const failure = await findSchedule('CL', { kind: 'local', path: defaultInstancePath }).catch(failureOf)
    expect(failure).toEqual({
      kind: 'problem',
      message: 'npm start runs no schedules.',
      fix: 'start a sync by hand: npx --no-install longshore --local sync CL',
    })
  })

  it('may be missing in the account', () => {
    expect(scheduleOf('CL', [{ ...schedule, entity: 'AD' }, schedule], target)).toBe(schedule)
    expect(failureIn(() => scheduleOf('ZZ', [schedule], target))).toEqual({
      kind: 'problem',
      message: 'ZZ has no schedule in the account.',
      fix: 'npx --no-install longshore repair-schedule ZZ --name Shop',
    })
  })
})
