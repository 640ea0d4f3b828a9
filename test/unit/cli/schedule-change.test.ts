import { describe, expect, it } from 'vitest'
import { decideChange } from '../../../cli/schedule-change.ts'
import type { DeployedSchedule } from '../../../operator/schedules/schedule-store.aws.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const scheduleOf = (starts: 'full' | 'increment', expression: string, enabled: boolean) =>
  ({ entity: 'CL', starts, expression, timezone: 'UTC', enabled }) as DeployedSchedule
const fullSyncs = (enabled: boolean) => scheduleOf('full', 'rate(1 day)', enabled)
const increments = (enabled: boolean) => scheduleOf('increment', 'rate(5 minutes)', enabled)

const full = 'The schedule of CL (rate(1 day) UTC) is'
const ofIncrements = 'The schedule of increments of CL (rate(5 minutes) UTC) is'
const resume = 'To resume: npx --no-install longshore resume CL --name Shop'

describe('the schedules of an entity', () => {
  it.each([
    ['pause', [true], ['full'], `${full} paused. ${resume}`],
    ['pause', [false], [], `${full} already paused.`],
    ['resume', [false], ['full'], `${full} active.`],
    ['resume', [true], [], `${full} already active.`],
    ['pause', [true, true], ['full', 'increment'], `${full} paused.\n${ofIncrements} paused. ${resume}`],
    ['pause', [false, true], ['increment'], `${full} already paused.\n${ofIncrements} paused. ${resume}`],
    ['pause', [false, false], [], `${full} already paused.\n${ofIncrements} already paused.`],
    ['resume', [false, false], ['full', 'increment'], `${full} active.\n${ofIncrements} active.`],
    ['resume', [true, false], ['increment'], `${full} already active.\n${ofIncrements} active.`],
  ] as const)('on %s, enabled: %j: changes %j', (...[action, enabled, starts, text]) => {
    const [first, second] = enabled
    const schedules = [fullSyncs(first), ...(second === undefined ? [] : [increments(second)])] as const
    const { changed, shown } = decideChange(schedules, action, target)
    expect(changed.map((schedule) => schedule.starts)).toEqual(starts)
    expect(shown).toEqual({
      ok: true,
      text,
      data: {
        entity: 'CL',
        schedule: 'rate(1 day)',
        timezone: 'UTC',
        ...(second !== undefined && { increments: 'rate(5 minutes)' }),
        paused: action === 'pause',
      },
    })
  })
})
