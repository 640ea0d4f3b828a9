import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'

/** A schedule as EventBridge Scheduler has it. */
export interface FoundSchedule {
  readonly entity: string
  readonly expression: string
  readonly timezone: string
  readonly enabled: boolean
  /** ISO 8601. */
  readonly changedAt: string
}

export type ReadSchedule = (name: string) => Promise<FoundSchedule>

export function scheduleReader(client = new SchedulerClient({})): ReadSchedule {
  return async (id) => {
    // CloudFormation knows a schedule by its name; some emulators by group and name.
    const found = await client.send(new GetScheduleCommand({ Name: id.split(/[|/]/).at(-1) ?? id }))
    return {
      entity: entityOf(found.Target?.Input),
      expression: found.ScheduleExpression ?? '',
      timezone: found.ScheduleExpressionTimezone ?? 'UTC',
      enabled: found.State === 'ENABLED',
      changedAt: (found.LastModificationDate ?? found.CreationDate ?? new Date(0)).toISOString(),
    }
  }
}

function entityOf(input = ''): string {
  try {
    return String((JSON.parse(input) as { entity?: unknown }).entity)
  } catch {
    return ''
  }
}
