import { describe, expect, it } from 'vitest'
import { readScheduledInput } from '../../../../functions/runtime/settings-schema/entity-schedules.ts'
import type { ScheduleProperties } from '../../../../operator/deployment/definition.ts'
import { definitionsOf, differencesOf } from '../../../../operator/deployment/definition.ts'

const stateMachineArn = 'arn:aws-cn:states:cn-north-1:111122223333:stateMachine:sync'
const resource = (logicalId: string, type: string, physicalId: string) => ({ logicalId, type, physicalId })
const resources = [
  resource('ScheduleCl', 'AWS::Scheduler::Schedule', 'Shop-CL'),
  resource('ScheduleGone', 'AWS::Scheduler::Schedule', 'Shop-GONE'),
  resource('Machine', 'AWS::StepFunctions::StateMachine', stateMachineArn),
  resource('Role', 'AWS::IAM::Role', 'Shop-role'),
  resource('Queue', 'AWS::SQS::Queue', 'https://sqs.cn-north-1.amazonaws.com.cn/111122223333/starts'),
]

const deployed: ScheduleProperties = {
  ScheduleExpression: 'rate(6 hours)',
  ScheduleExpressionTimezone: 'UTC',
  State: 'ENABLED',
  FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
  Target: {
    Arn: stateMachineArn,
    RoleArn: 'arn:aws-cn:iam::111122223333:role/Shop-role',
    Input: '{"entity":"CL"}',
    DeadLetterConfig: { Arn: 'arn:aws-cn:sqs:cn-north-1:111122223333:starts' },
  },
}
/** As CloudFormation stores it. */
const template = {
  Resources: {
    ScheduleCl: {
      Properties: {
        ...deployed,
        Target: {
          ...deployed.Target,
          Arn: { Ref: 'Machine' },
          RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
        },
      },
    },
    Other: { Properties: {} },
  },
}
const defined = (content: object) => definitionsOf(JSON.stringify(content), { resources, stateMachineArn })

describe('the schedules of a deployed template', () => {
  it('have the ARNs of the resources that they name', () => {
    expect(defined(template)).toEqual([{ id: 'Shop-CL', entity: 'CL', starts: 'full', properties: deployed }])
  })

  it('keep what they name outside of the stack', () => {
    const Target = { ...deployed.Target, Tags: [{ Ref: 'Unknown' }, null, 1] }
    const [definition] = defined({ Resources: { ScheduleCl: { Properties: { ...deployed, Target } } } })
    expect(definition?.properties.Target).toEqual(Target)
  })

  it('do not exist in an empty template', () => expect(defined({})).toEqual([]))
})

it.each([
  ['{"entity":"CL","acceptShrink":true}', 'CL'],
  ['{', ''],
  [undefined, ''],
])('the input %s starts the entity %j', (input, entity) =>
  expect(readScheduledInput(input).entity).toBe(entity),
)

describe('a schedule in the account', () => {
  const { Target, ...rest } = deployed
  const { DeadLetterConfig: _, ...withoutQueue } = Target
  it.each<[change: object, differences: string[]]>([
    [{}, []],
    [{ State: 'DISABLED', Description: 'Mine' }, []],
    [{ ScheduleExpression: 'rate(1 day)' }, ['its expression is rate(1 day), not rate(6 hours)']],
    [{ ScheduleExpressionTimezone: 'Europe/Lisbon' }, ['its time zone is Europe/Lisbon, not UTC']],
    [{ FlexibleTimeWindow: { Mode: 'OFF' } }, ['its time window is none, not 15 min']],
    [
      { Target: { ...Target, Arn: 'a', Input: 'b', RoleArn: 'c' } },
      [
        `its target is a, not ${stateMachineArn}`,
        'its input is b, not {"entity":"CL"}',
        'its role is c, not arn:aws-cn:iam::111122223333:role/Shop-role',
      ],
    ],
    [
      { Target: withoutQueue },
      ['its dead-letter queue is none, not arn:aws-cn:sqs:cn-north-1:111122223333:starts'],
    ],
  ])('differs from the deployed one: %j', (change, differences) => {
    expect(differencesOf(deployed, { ...rest, Target, ...change } as ScheduleProperties)).toEqual(differences)
  })
})
