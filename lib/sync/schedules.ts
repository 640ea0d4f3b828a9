import { CfnSchedule, type CfnScheduleProps } from 'aws-cdk-lib/aws-scheduler'
import { Construct } from 'constructs'
import { rateSeconds } from '../../functions/runtime/schedule-gap.ts'
import { scheduledInput } from '../../functions/runtime/scheduled-input.ts'
import type { Configuration } from '../config.ts'

type Entity = Configuration['entities'][number]

export interface SchedulesProps {
  readonly entities: readonly Entity[]
  readonly stateMachineArn: string
  readonly workerArn: string
  readonly roleArn: string
  readonly deadLetterQueueArn: string
}

/**
 * One schedule for each enabled entity, and one for its increments. They are the entity's only resources, so that a
 * stack can have hundreds of entities.
 */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id)
    for (const { name, schedule, timezone } of props.entities.filter(({ enabled }) => enabled)) {
      new CfnSchedule(this, `Sync-${name}`, {
        description: `Syncs ${name}`,
        scheduleExpression: schedule,
        scheduleExpressionTimezone: timezone,
        flexibleTimeWindow: flexibleTimeWindow(schedule),
        // The default, written down so that drift detection compares it: `longshore pause` changes it.
        state: 'ENABLED',
        target: {
          arn: props.stateMachineArn,
          roleArn: props.roleArn,
          input: JSON.stringify(scheduledInput(name, 'full')),
          // After an hour the next run is due, or an operator has been notified.
          retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 3600 },
          deadLetterConfig: { arn: props.deadLetterQueueArn },
        },
      })
    }
    for (const entity of props.entities.filter(({ enabled }) => enabled))
      this.scheduleIncrements(entity, props)
  }

  /** Without the state machine: an increment is one invocation, and the state transitions would cost more than it does. */
  private scheduleIncrements({ name, timezone, increments }: Entity, props: SchedulesProps): void {
    if (!increments) return
    new CfnSchedule(this, `Increment-${name}`, {
      description: `Publishes what has changed in ${name}`,
      scheduleExpression: increments.schedule,
      scheduleExpressionTimezone: timezone,
      flexibleTimeWindow: flexibleTimeWindow(increments.schedule),
      state: 'ENABLED',
      target: {
        arn: props.workerArn,
        roleArn: props.roleArn,
        input: JSON.stringify(scheduledInput(name, 'increment')),
        // The next increment covers the window of one that did not start.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      },
    })
  }
}

/**
 * Without a window, all schedules with the same rate would start in the second of the deployment, and runs would wait for
 * a slot. The window is a quarter of the interval, at most an hour. A cron expression has no window.
 */
function flexibleTimeWindow(schedule: string): CfnScheduleProps['flexibleTimeWindow'] {
  const seconds = rateSeconds(schedule)
  const minutes = Math.min(60, Math.floor((seconds ?? 0) / 60 / 4))
  return minutes < 1 ? { mode: 'OFF' } : { mode: 'FLEXIBLE', maximumWindowInMinutes: minutes }
}
