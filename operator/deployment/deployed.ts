import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { StackStore } from '../aws/stacks.aws.ts'
import { definingTypes, definitionsOf, differencesOf, type ScheduleDefinition } from './definition.ts'
import { createScheduleStore, type ExistingSchedule } from './schedule-store.aws.ts'
import { maxScheduleReads } from './schedules.ts'

/** A schedule of the deployed template, and what it is in the account. */
export interface ScheduleFact {
  readonly definition: ScheduleDefinition
  /** Undefined if it was deleted outside of CloudFormation. */
  readonly existing: ExistingSchedule | undefined
  /** What was changed outside of CloudFormation, except that it was paused. */
  readonly differences: readonly string[]
}

interface Deployed {
  /** The configuration's name. */
  readonly name: string
  readonly stateMachineArn: string
}

/** The schedules of the deployed template. */
export async function readDefinitions(
  { name, stateMachineArn }: Deployed,
  stacks: StackStore,
): Promise<ScheduleDefinition[]> {
  const [template, resources] = await Promise.all([
    stacks.template(`${name}Sync`),
    stacks.resources(`${name}Sync`, ...definingTypes),
  ])
  return definitionsOf(template, { resources, stateMachineArn })
}

/** The schedules of the deployed template, compared with the account. */
export async function compareSchedules(deployed: Deployed, stacks: StackStore): Promise<ScheduleFact[]> {
  const definitions = await readDefinitions(deployed, stacks)
  return mapPooled(definitions, maxScheduleReads, compareSchedule)
}

export async function compareSchedule(definition: ScheduleDefinition): Promise<ScheduleFact> {
  const existing = await createScheduleStore().read(definition.id)
  const differences = existing ? differencesOf(definition.properties, existing.properties) : []
  return { definition, existing, differences }
}
