import type { ApiSchedule } from '../serve-schedules.ts'

/** The daily schedule of an entity, as a template defines it. */
export const definedSchedule = (entity: string) => ({
  ScheduleExpression: 'rate(1 day)',
  ScheduleExpressionTimezone: 'UTC',
  State: 'ENABLED',
  FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
  Target: {
    Arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:sync',
    RoleArn: { 'Fn::GetAtt': ['SchedulerRole1', 'Arn'] },
    Input: JSON.stringify({ entity }),
    DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['StartDeadLetters1', 'Arn'] } },
  },
})

/** The same in the account, created 100 minutes ago. */
export function apiSchedule(entity: string): ApiSchedule {
  const createdAt = Date.now() / 1000 - 6000
  const defined = definedSchedule(entity)
  return {
    ...defined,
    Name: `schedule-${entity}`,
    GroupName: 'default',
    Target: {
      ...defined.Target,
      RoleArn: 'arn:aws:iam::000000000000:role/SchedulerRole1',
      DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:StartDeadLetters1' },
    },
    CreationDate: createdAt,
    LastModificationDate: createdAt,
  }
}
