import type { DeployedSchedule } from '../operator/aws/schedules.aws.ts'
import { longshoreCommand, type Target } from '../operator/deployment/deployment.ts'
import type { CommandResult } from './shell/command.ts'

export type ScheduleAction = 'pause' | 'resume'

const states = { pause: 'paused', resume: 'active' } as const

/** Whether the schedule is changed, and what is shown then. */
export function changeResult(
  { entity, expression, timezone, enabled }: DeployedSchedule,
  action: ScheduleAction,
  target: Target,
): { readonly kind: 'change' | 'keep'; readonly shown: CommandResult } {
  const paused = action === 'pause'
  const data = { entity, schedule: expression, timezone, paused }
  const name = `The schedule of ${entity} (${expression} ${timezone})`
  if (enabled !== paused) {
    return { kind: 'keep', shown: { ok: true, text: `${name} is already ${states[action]}.`, data } }
  }
  const resume = paused ? ` To resume it: ${longshoreCommand(target, `resume ${entity}`)}` : ''
  return { kind: 'change', shown: { ok: true, text: `${name} is ${states[action]}.${resume}`, data } }
}
