import {
  type EntitySchedule,
  readScheduledInput,
  scheduleSubject,
} from '../../functions/runtime/settings-schema/entity-schedules.ts'
import type { StackResource } from '../aws/stacks.aws.ts'

/** A schedule's properties. EventBridge Scheduler and CloudFormation have the same names for them. */
export interface ScheduleProperties {
  readonly Description?: string
  readonly ScheduleExpression: string
  readonly ScheduleExpressionTimezone: string
  readonly State: string
  readonly FlexibleTimeWindow: { readonly Mode: string; readonly MaximumWindowInMinutes?: number }
  readonly Target: {
    readonly Arn: string
    readonly RoleArn: string
    readonly Input: string
    readonly RetryPolicy?: object
    readonly DeadLetterConfig?: { readonly Arn: string }
  }
}

/** A schedule as the deployed template defines it. */
export interface ScheduleDefinition extends Pick<EntitySchedule, 'starts'> {
  /** By which CloudFormation knows the schedule. */
  readonly id: string
  readonly entity: string
  readonly properties: ScheduleProperties
}

/** `The schedule of CL (rate(1 day) UTC)`. */
export const scheduleName = (one: EntitySchedule & { readonly entity: string }): string =>
  `${scheduleSubject(one.entity, one.starts)} (${one.expression} ${one.timezone})`

const scheduleType = 'AWS::Scheduler::Schedule'

/** The types of resources that the definition of a schedule refers to, and its own. */
export const definingTypes = [
  scheduleType,
  'AWS::StepFunctions::StateMachine',
  'AWS::Lambda::Function',
  'AWS::IAM::Role',
  'AWS::SQS::Queue',
] as const

/** The schedules that a deployed template defines, with the ARNs of the stack's resources. */
export function definitionsOf(
  template: string,
  { resources, stateMachineArn }: { resources: readonly StackResource[]; stateMachineArn: string },
): ScheduleDefinition[] {
  const { Resources = {} } = JSON.parse(template) as ScheduleTemplate
  const arns = new Map(resources.map((one) => [one.logicalId, arnOf(one, stateMachineArn)]))
  return resources
    .filter(({ type }) => type === scheduleType)
    .flatMap(({ logicalId, physicalId: id }) => {
      const defined = Resources[logicalId]?.Properties
      if (!defined) return []
      const properties = withArns(defined, arns) as ScheduleProperties
      return [{ id, ...readScheduledInput(properties.Target.Input), properties }]
    })
}

interface ScheduleTemplate {
  readonly Resources?: Readonly<Record<string, { readonly Properties?: object } | undefined>>
}

/** CloudFormation knows a state machine by its ARN, a function and a role by its name and a queue by its URL. */
function arnOf({ type, physicalId }: StackResource, stateMachineArn: string): string {
  const [, partition = '', , region = '', account = ''] = stateMachineArn.split(':')
  if (type === 'AWS::Lambda::Function')
    return `arn:${partition}:lambda:${region}:${account}:function:${physicalId}`
  if (type === 'AWS::IAM::Role') return `arn:${partition}:iam::${account}:role/${physicalId}`
  if (type === 'AWS::SQS::Queue')
    return `arn:${partition}:sqs:${region}:${account}:${physicalId.split('/').at(-1)}`
  return physicalId
}

/** Replaces `Ref` and `Fn::GetAtt` by the ARN of the resource that they name. */
function withArns(value: unknown, arns: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withArns(one, arns))
  if (typeof value !== 'object' || value === null) return value
  const reference = referenceIn(value)
  if (reference !== undefined) return arns.get(reference) ?? value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withArns(one, arns)]))
}

function referenceIn(value: object): string | undefined {
  const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] }
  return Ref ?? attribute?.[0]
}

/** What a schedule consists of, without its state. */
const compared: readonly (readonly [name: string, read: (schedule: ScheduleProperties) => string])[] = [
  ['expression', ({ ScheduleExpression }) => ScheduleExpression],
  ['time zone', ({ ScheduleExpressionTimezone }) => ScheduleExpressionTimezone],
  ['time window', ({ FlexibleTimeWindow }) => windowText(FlexibleTimeWindow)],
  ['target', ({ Target }) => Target.Arn],
  ['input', ({ Target }) => Target.Input],
  ['role', ({ Target }) => Target.RoleArn],
  ['dead-letter queue', ({ Target }) => Target.DeadLetterConfig?.Arn ?? 'none'],
]

const windowText = ({ Mode, MaximumWindowInMinutes }: ScheduleProperties['FlexibleTimeWindow']) =>
  Mode === 'OFF' ? 'none' : `${MaximumWindowInMinutes} min`

/** What differs in the account: `its expression is rate(1 day), not rate(6 hours)`. */
export function differencesOf(defined: ScheduleProperties, existing: ScheduleProperties): string[] {
  return compared
    .filter(([, read]) => read(defined) !== read(existing))
    .map(([name, read]) => `its ${name} is ${read(existing)}, not ${read(defined)}`)
}
