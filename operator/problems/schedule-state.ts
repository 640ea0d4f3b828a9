import type { DeployedSchedule, ScheduleState } from '../../functions/problems/facts.ts'
import type { LookContext } from '../../functions/problems/read-facts.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { type EntitySchedule, schedulesOf } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import { deployCommand, type Target } from '../deployment/deployment.ts'
import type { ScheduleFact } from '../deployment/schedules.ts'

/** What is known of an entity's schedules, from those of the deployment. Those of `npm start` are always as configured. */
export function scheduleStateOf(
  entity: EntitySettings,
  facts: readonly ScheduleFact[] | undefined,
  target: Target,
): ScheduleState {
  if (!facts || target.kind === 'local') return { kind: 'unknown' }
  const deploy = deployCommand(target)
  const own = facts.filter(({ definition }) => definition.entity === entity.name)
  if (!own.some(({ definition }) => definition.starts === 'full')) return { kind: 'not-deployed', deploy }
  const schedules = schedulesOf(entity).map((schedule) => {
    const fact = own.find(({ definition }) => definition.starts === schedule.starts)
    return deployedSchedule(schedule, fact, deploy)
  })
  return { kind: 'deployed', schedules }
}

/** The schedules of the deployment, as a look for problems uses them. */
export const knownSchedules = (
  facts: readonly ScheduleFact[] | undefined,
  target: Target,
): Pick<LookContext, 'schedulesOf' | 'deployOf'> => ({
  schedulesOf: (entity) => scheduleStateOf(entity, facts, target),
  deployOf: (name) =>
    target.kind === 'stacks' && facts?.some(({ definition }) => definition.entity === name)
      ? deployCommand(target)
      : undefined,
})

/** A difference from the deployed template comes first: a deployment does not remove it. */
function deployedSchedule(
  { starts, expression, timezone }: EntitySchedule,
  fact: ScheduleFact | undefined,
  deploy: string,
): DeployedSchedule {
  const configured = `${expression} ${timezone}`
  const { ScheduleExpression, ScheduleExpressionTimezone } = fact?.definition.properties ?? {}
  const deployed = fact ? `${ScheduleExpression} ${ScheduleExpressionTimezone}` : 'not deployed'
  const undeployed = deployed === configured ? undefined : { deployed, configured, deploy }
  const { existing, differences = [] } = fact ?? {}
  return { starts, isDeployed: fact !== undefined, existing, differences, undeployed }
}
