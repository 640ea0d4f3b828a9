import type { DeployedSchedule, ScheduleState } from '../../functions/problems/facts.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { deployCommand, type Target } from '../deployment/deployment.ts'
import type { ScheduledStart } from '../deployment/planned-schedules.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'

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
  const { schedule, increments } = entity
  const configured = [
    { starts: 'full', expression: schedule } as const,
    ...(increments ? [{ starts: 'increment', expression: increments.schedule } as const] : []),
  ]
  const schedules = configured.map(({ starts, expression }) =>
    deployedSchedule(
      { starts, wanted: `${expression} ${entity.timezone}`, deploy },
      own.find(({ definition }) => definition.starts === starts),
    ),
  )
  return { kind: 'deployed', schedules }
}

interface Wanted {
  readonly starts: ScheduledStart
  readonly wanted: string
  readonly deploy: string
}

/** A difference from the deployed template comes first: a deployment does not remove it. */
function deployedSchedule(
  { starts, wanted, deploy }: Wanted,
  fact: ScheduleFact | undefined,
): DeployedSchedule {
  const { ScheduleExpression, ScheduleExpressionTimezone } = fact?.definition.properties ?? {}
  const deployed = fact ? `${ScheduleExpression} ${ScheduleExpressionTimezone}` : 'not deployed'
  const undeployed = deployed === wanted ? undefined : { deployed, configured: wanted, deploy }
  const { existing, differences = [] } = fact ?? {}
  return { starts, isDeployed: fact !== undefined, existing, differences, undeployed }
}
