import type { Configuration } from '../lib/config.ts'
import type { DeployedSchedule } from '../operator/aws/schedules.aws.ts'
import {
  deployCommand,
  longshoreCommand,
  type StacksTarget,
  type Target,
} from '../operator/deployment/deployment.ts'
import { CommandError } from '../operator/errors.ts'
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

/** Throws `CommandError` if the entity has no schedule by its configuration. */
export function requireScheduled({ entities }: Pick<Configuration, 'entities'>, entity: string): void {
  if (entities.find(({ name }) => name === entity)?.enabled) return
  throw new CommandError(`${entity} has no schedule: the configuration has \`enabled: false\`.`, {
    fix: 'to schedule it, remove `enabled: false` and deploy',
  })
}

/** Throws `CommandError` if the account has no schedule of the entity. */
export function scheduleOf(
  entity: string,
  schedules: readonly DeployedSchedule[],
  target: StacksTarget,
): DeployedSchedule {
  const schedule = schedules.find((one) => one.entity === entity)
  if (schedule) return schedule
  throw new CommandError(`${entity} has no schedule in the account.`, {
    fix: deployCommand(target, ['--revert-drift']),
  })
}
