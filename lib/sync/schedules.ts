import { Annotations } from 'aws-cdk-lib'
import { CfnSchedule, type CfnScheduleProps } from 'aws-cdk-lib/aws-scheduler'
import { Construct } from 'constructs'
import { skippedRun } from '../../functions/runtime/next-run.ts'
import { rateSeconds } from '../../functions/runtime/schedule-gap.ts'
import {
  type ScheduledStart,
  scheduledInput,
  schedulesOf,
  startedName,
} from '../../functions/runtime/settings-schema/entity-schedules.ts'
import type { Configuration } from '../config.ts'

type Entity = Configuration['entities'][number]

export interface SchedulesProps {
  readonly entities: readonly Entity[]
  readonly stateMachineArn: string
  readonly workerArn: string
  readonly roleArn: string
  readonly deadLetterQueueArn: string
}

/** The schedules of each enabled entity, its only resources, so that a stack can have hundreds of entities. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id)
    const kinds = kindsOf(props)
    for (const entity of props.entities.filter(({ enabled }) => enabled)) {
      const skipped = skippedText(entity)
      if (skipped !== undefined) Annotations.of(this).addInfo(skipped)
      for (const { starts, expression, timezone } of schedulesOf(entity)) {
        const { prefix, does, target } = kinds[starts]
        const input = JSON.stringify(scheduledInput(entity.name, starts))
        new CfnSchedule(this, `${prefix}-${entity.name}`, {
          description: `${does} ${entity.name}`,
          scheduleExpression: expression,
          scheduleExpressionTimezone: timezone,
          flexibleTimeWindow: flexibleTimeWindow(expression),
          // The default, written down so that drift detection compares it: `longshore pause` changes it.
          state: 'ENABLED',
          target: { ...target, roleArn: props.roleArn, input },
        })
      }
    }
  }
}

/** What its schedules leave out when clocks move forward; undefined if that is nothing. */
function skippedText(entity: Entity): string | undefined {
  const lost = schedulesOf(entity).flatMap((schedule) => {
    const time = skippedRun(schedule, Date.now())
    return time === undefined ? [] : [`${startedName(schedule.starts)} of ${localMinute(time)}`]
  })
  if (lost.length === 0) return undefined
  return `${entity.name}: EventBridge Scheduler leaves out the ${lost.join(' and the ')}, because clocks in ${entity.timezone} skip that time. If this is one too many, choose another hour, or the timezone UTC.`
}

const localMinute = (local: number) => new Date(local).toISOString().slice(0, 16).replace('T', ' ')

type Kind = Readonly<Record<'prefix' | 'does', string>> & {
  readonly target: Omit<CfnSchedule.TargetProperty, 'roleArn' | 'input'>
}

const kindsOf = ({
  stateMachineArn,
  workerArn,
  deadLetterQueueArn,
}: SchedulesProps): Readonly<Record<ScheduledStart, Kind>> => ({
  full: {
    prefix: 'Sync',
    does: 'Syncs',
    target: {
      arn: stateMachineArn,
      // After an hour the next run is due, or an operator has been notified.
      retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 3600 },
      deadLetterConfig: { arn: deadLetterQueueArn },
    },
  },
  // Without the state machine: an increment is one invocation, and the state transitions would cost more than it does.
  increment: {
    prefix: 'Increment',
    does: 'Publishes what has changed in',
    target: {
      arn: workerArn,
      // The next increment covers the window of one that did not start.
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
    },
  },
})

/**
 * Without a window, all schedules with the same rate would start in the second of the deployment, and runs would wait for
 * a slot. The window is a quarter of the interval, at most an hour. A cron expression has no window.
 */
function flexibleTimeWindow(schedule: string): CfnScheduleProps['flexibleTimeWindow'] {
  const seconds = rateSeconds(schedule)
  const minutes = Math.min(60, Math.floor((seconds ?? 0) / 60 / 4))
  return minutes < 1 ? { mode: 'OFF' } : { mode: 'FLEXIBLE', maximumWindowInMinutes: minutes }
}
