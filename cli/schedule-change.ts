import { longshoreCommand, type Target } from '../operator/deployment/deployment.ts'
import { scheduleName } from '../operator/schedules/definition.ts'
import type { DeployedSchedule } from '../operator/schedules/schedule-store.aws.ts'
import type { CommandResult } from './shell/command.ts'

export type ScheduleAction = 'pause' | 'resume'

const states = { pause: 'paused', resume: 'active' } as const

/** Which of an entity's schedules are changed, and what is shown then. */
export function decideChange(
  schedules: readonly [full: DeployedSchedule, ...increments: DeployedSchedule[]],
  action: ScheduleAction,
  target: Target,
): { readonly changed: readonly DeployedSchedule[]; readonly shown: CommandResult } {
  const [{ entity, expression, timezone }, increments] = schedules
  const paused = action === 'pause'
  const changed = schedules.filter(({ enabled }) => enabled === paused)
  const lines = schedules.map((schedule) => {
    const already = changed.includes(schedule) ? '' : 'already '
    return `${scheduleName(schedule)} is ${already}${states[action]}.`
  })
  const resume =
    paused && changed.length > 0 ? ` To resume: ${longshoreCommand(target, `resume ${entity}`)}` : ''
  const data = {
    entity,
    schedule: expression,
    timezone,
    ...(increments && { increments: increments.expression }),
    paused,
  }
  return { changed, shown: { ok: true, text: lines.join('\n') + resume, data } }
}
