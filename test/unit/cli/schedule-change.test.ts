import { describe, expect, it } from 'vitest'
import { changeResult } from '../../../cli/schedule-change.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const schedule = { entity: 'CL', expression: 'rate(1 day)', timezone: 'UTC' } as never as Parameters<
  typeof changeResult
>[0]
const name = 'The schedule of CL (rate(1 day) UTC) is'

describe('a schedule', () => {
  it.each([
    [
      'pause',
      true,
      'change',
      `${name} paused. To resume it: npx --no-install longshore resume CL --name Shop`,
    ],
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
})
