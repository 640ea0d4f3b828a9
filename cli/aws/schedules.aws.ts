import { GetScheduleCommand, ResourceNotFoundException } from '@aws-sdk/client-scheduler'
import { awsClients } from './clients.aws.ts'

/** A schedule as it exists in EventBridge Scheduler. */
export interface DeployedSchedule {
  readonly entity: string
  readonly expression: string
  readonly timezone: string
  readonly enabled: boolean
  /** ISO 8601. */
  readonly changedAt: string
}

/** Undefined if the schedule was deleted outside of CloudFormation. */
export type ReadSchedule = (id: string) => Promise<DeployedSchedule | undefined>

export function scheduleReader(client = awsClients.schedules()): ReadSchedule {
  return async (id) => {
    // CloudFormation identifies a schedule by its name, some emulators by group and name.
    const name = id.split(/[|/]/).at(-1) ?? id
    const schedule = await client.send(new GetScheduleCommand({ Name: name })).catch((error: unknown) => {
      if (error instanceof ResourceNotFoundException) return undefined
      throw error
    })
    if (!schedule) return undefined
    return {
      entity: entityIn(schedule.Target?.Input),
      expression: schedule.ScheduleExpression ?? '',
      timezone: schedule.ScheduleExpressionTimezone ?? 'UTC',
      enabled: schedule.State === 'ENABLED',
      changedAt: (schedule.LastModificationDate ?? schedule.CreationDate ?? new Date(0)).toISOString(),
    }
  }
}

function entityIn(input = ''): string {
  try {
    return String((JSON.parse(input) as { entity?: unknown }).entity)
  } catch {
    return ''
  }
}
