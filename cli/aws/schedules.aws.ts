import { GetScheduleCommand } from '@aws-sdk/client-scheduler'
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

export type ReadSchedule = (name: string) => Promise<DeployedSchedule>

export function scheduleReader(client = awsClients.schedules()): ReadSchedule {
  return async (id) => {
    // CloudFormation identifies a schedule by its name, some emulators by group and name.
    const name = id.split(/[|/]/).at(-1) ?? id
    const schedule = await client.send(new GetScheduleCommand({ Name: name }))
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
