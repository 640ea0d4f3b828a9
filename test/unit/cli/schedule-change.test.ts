import { describe, expect, it } from 'vitest'
import { changeResult, requireScheduled, scheduleOf } from '../../../cli/schedule-change.ts'
import { failureOf } from '../../../operator/errors.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const schedule = { entity: 'CL', expression: 'rate(1 day)', timezone: 'UTC' } as never as Parameters<
  typeof changeResult
>[0]
const name = 'The schedule of CL (rate(1 day) UTC) is'

function failureIn(work: () => unknown) {
  try {
    work()
  } catch (error) {
    return failureOf(error)
  }
  return undefined
}

describe('a schedule', () => {
  it.each([
    ['pause', true, 'change', `${name} paused. To resume it: npx longshore resume CL --name Shop`],
    ['pause', false, 'keep', `${name} already paused.`],
    ['resume', false, 'change', `${name} active.`],
    ['resume', true, 'keep', `${name} already active.`],
  ] as const)('on %s, enabled: %j: %s', (...[action, enabled, kind, text]) => {
    expect(changeResult({ ...schedule, enabled }, action, target)).toEqual({
      kind,
      shown: {
        ok: true,
        text,
        data: { entity: 'CL', schedule: 'rate(1 day)', timezone: 'UTC', paused: action === 'pause' },
      },
    })
  })

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

  it('may be missing in the account', () => {
    expect(scheduleOf('CL', [{ ...schedule, entity: 'AD' }, schedule], target)).toBe(schedule)
    expect(failureIn(() => scheduleOf('ZZ', [schedule], target))).toEqual({
      kind: 'problem',
      message: 'ZZ has no schedule in the account.',
      fix: 'npm run deploy -- -c name=Shop --revert-drift',
    })
  })
})
