import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { nextRun } from '../../functions/runtime/next-run.ts'
import { findScheduleError } from '../../functions/runtime/settings-schema/schedule.ts'
import type { Pause } from '../../stored/pause.ts'
import { createStackStore, type StackStore } from '../aws/stacks.aws.ts'
import type { Next } from '../text/next-run.ts'
import { definingTypes, definitionsOf, differencesOf, type ScheduleDefinition } from './definition.ts'
import type { PlannedSchedule } from './planned-schedules.ts'
import { createScheduleStore, type ExistingSchedule } from './schedule-store.aws.ts'

/** The Scheduler API allows an account some dozens of reads per second. */
const maxScheduleReads = 10

/** The schedules that exist in the account, of the deployment with this name. */
export async function readSchedules(name: string, stacks = createStackStore()): Promise<ExistingSchedule[]> {
  const store = createScheduleStore()
  const resources = await stacks.resources(`${name}Sync`, 'AWS::Scheduler::Schedule')
  const schedules = await mapPooled(resources, maxScheduleReads, ({ physicalId }) => store.read(physicalId))
  return schedules.filter((schedule) => schedule !== undefined)
}

/** What an entity's schedule does next, by entity and pause; unknown if the schedules could not be read. */
export function nextRuns(
  schedules: readonly PlannedSchedule[] | undefined,
  now: number,
): (entity: string, pause: Pause | null) => Next {
  return (name, pause) => {
    const schedule = schedules?.find(({ entity, starts }) => entity === name && starts === 'full')
    if (pause)
      return { kind: 'paused', ...(pause.until && schedule?.enabled !== false && { until: pause.until }) }
    return schedules ? nextOf(schedule, now) : { kind: 'unknown' }
  }
}

function nextOf(schedule: PlannedSchedule | undefined, now: number): Next {
  if (schedule?.enabled === false) return { kind: 'paused' }
  // An expression that was changed outside of CloudFormation may be of another type, such as at(…).
  if (!schedule || findScheduleError(schedule.expression)) return { kind: 'none' }
  const time = nextRun(schedule, now)
  return time === undefined ? { kind: 'none' } : { kind: 'run', at: new Date(time).toISOString() }
}

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
