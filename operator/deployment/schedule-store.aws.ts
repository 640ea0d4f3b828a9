import type { CreateScheduleInput, GetScheduleOutput, UpdateScheduleInput } from '@aws-sdk/client-scheduler'
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ResourceNotFoundException,
  ScheduleState,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { readScheduledInput } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { ScheduleProperties } from './definition.ts'
import type { PlannedSchedule } from './planned-schedules.ts'

/** A schedule as it exists in EventBridge Scheduler. */
export interface ExistingSchedule extends PlannedSchedule {
  readonly id: string
  /** ISO 8601. */
  readonly changedAt: string
  readonly properties: ScheduleProperties
}

export function createScheduleStore(client = awsClients.schedules()) {
  return {
    /** Undefined if the schedule was deleted outside of CloudFormation. */
    async read(id: string): Promise<ExistingSchedule | undefined> {
      const command = new GetScheduleCommand({ Name: nameOf(id) })
      const found = await client.send(command).catch(absentIf(ResourceNotFoundException))
      return found && scheduleOf(id, found)
    },

    /**
     * Changes the state only. The API replaces a schedule as a whole, so every other property is sent as it is. The SDK
     * leaves out what UpdateSchedule does not accept, such as the time of the last change.
     */
    async enable(id: string): Promise<void> {
      const schedule = await client.send(new GetScheduleCommand({ Name: nameOf(id) }))
      const enabled = { ...schedule, State: ScheduleState.ENABLED }
      await client.send(new UpdateScheduleCommand(enabled as UpdateScheduleInput))
    },

    /** Creates a schedule under the name by which CloudFormation knows it, or replaces it as a whole. */
    async put(id: string, properties: ScheduleProperties, mode: 'create' | 'replace'): Promise<void> {
      const input = { ...properties, Name: nameOf(id) } as CreateScheduleInput & UpdateScheduleInput
      if (mode === 'create') await client.send(new CreateScheduleCommand(input))
      else await client.send(new UpdateScheduleCommand(input))
    },
  }
}

/** CloudFormation identifies a schedule by its name, some emulators by group and name. */
const nameOf = (id: string) => id.split(/[|/]/).at(-1) ?? id

function scheduleOf(id: string, schedule: GetScheduleOutput): ExistingSchedule {
  const createdAt = schedule.CreationDate ?? new Date(0)
  const timezone = schedule.ScheduleExpressionTimezone ?? 'UTC'
  return {
    id,
    ...readScheduledInput(schedule.Target?.Input),
    expression: schedule.ScheduleExpression ?? '',
    timezone,
    enabled: schedule.State === ScheduleState.ENABLED,
    startsAt: (schedule.StartDate ?? createdAt).getTime(),
    changedAt: (schedule.LastModificationDate ?? createdAt).toISOString(),
    properties: { ...schedule, ScheduleExpressionTimezone: timezone } as ScheduleProperties,
  }
}
