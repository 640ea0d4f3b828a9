import { createScheduleStore } from '../aws/schedules.aws.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { deployCommand, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { compareSchedule, readDefinitions, type ScheduleFact } from './deployed.ts'
import { findScheduled } from './find-schedule.ts'

export interface Repair {
  readonly entity: string
  /** As it is now. */
  readonly schedule: string
  readonly timezone: string
  /** What was wrong; empty if the schedule was as deployed. */
  readonly repaired: readonly string[]
}

/** Makes an entity's schedule in the account what the deployed template defines. Throws `CommandError`. */
export async function repairSchedule(entity: string, target: Target): Promise<Repair> {
  const { deployment, target: stacks } = await findScheduled(entity, target)
  const { configuration, stateMachineArn } = deployment
  const { name } = configuration
  const definitions = await readDefinitions({ name, stateMachineArn }, createStackStore())
  const definition = definitions.find((one) => one.entity === entity && one.starts === 'full')
  if (!definition) {
    throw new CommandError(`The schedule of ${entity} is configured, but not deployed.`, {
      fix: deployCommand(stacks),
    })
  }
  const fact = await compareSchedule(definition)
  const repaired = faultsOf(fact)
  if (repaired.length > 0) {
    const { id, properties } = definition
    await createScheduleStore().put(id, properties, fact.existing ? 'replace' : 'create')
  }
  const { ScheduleExpression: schedule, ScheduleExpressionTimezone: timezone } = definition.properties
  return { entity, schedule, timezone, repaired }
}

/** What differs from the deployed template. */
function faultsOf({ existing, differences }: ScheduleFact): string[] {
  if (!existing) return ['it did not exist']
  return [...differences, ...(existing.enabled ? [] : ['it was paused'])]
}
