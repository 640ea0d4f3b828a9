import type { EntitySchedule } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import { createStackStore } from '../aws/stacks.aws.ts'
import { CommandError } from '../errors.ts'
import type { ScheduleDefinition } from './definition.ts'
import { deployCommand, type Target } from './deployment.ts'
import { findScheduled, ownSchedules } from './find-schedule.ts'
import { createScheduleStore } from './schedule-store.aws.ts'
import { compareSchedule, readDefinitions, type ScheduleFact } from './schedules.ts'

export interface ScheduleRepair extends EntitySchedule {
  readonly entity: string
  /** What was wrong; empty if the schedule was as deployed. */
  readonly repaired: readonly string[]
}

/** Makes an entity's schedules what the deployed template defines, full syncs first. Throws `CommandError`. */
export async function repairSchedules(
  entity: string,
  target: Target,
): Promise<readonly [full: ScheduleRepair, ...others: ScheduleRepair[]]> {
  const { deployment, target: stacks } = await findScheduled(entity, target)
  const { configuration, stateMachineArn } = deployment
  const { name } = configuration
  const definitions = await readDefinitions({ name, stateMachineArn }, createStackStore())
  const own = ownSchedules(definitions, entity)
  if (!own) {
    const fix = deployCommand(stacks)
    throw new CommandError(`The schedule of ${entity} is configured, but not deployed.`, { fix })
  }
  const [full, ...others] = own
  return [await repair(full), ...(await Promise.all(others.map(repair)))]
}

async function repair(definition: ScheduleDefinition): Promise<ScheduleRepair> {
  const fact = await compareSchedule(definition)
  const repaired = faultsOf(fact)
  if (repaired.length > 0) {
    const { id, properties } = definition
    await createScheduleStore().put(id, properties, fact.existing ? 'replace' : 'create')
  }
  const { entity, starts, properties } = definition
  const { ScheduleExpression: expression, ScheduleExpressionTimezone: timezone } = properties
  return { entity, starts, expression, timezone, repaired }
}

/** What differs from the deployed template. */
function faultsOf({ existing, differences }: ScheduleFact): string[] {
  if (!existing) return ['it did not exist']
  return [...differences, ...(existing.enabled ? [] : ['it was disabled'])]
}
