import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { type Bundle, type Resource, synthesize } from './synthesize.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
type Json = any

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({
    eraseWithinDays: 30,
    name: 'Shop',
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)', increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] },
      { name: 'AD', schedule: 'cron(0 9 ? * MON-FRI *)', timezone: 'Europe/Lisbon' },
      { name: 'YEARLY', schedule: 'cron(0 0 1 1 ? *)' },
      { name: 'ONCE', schedule: 'cron(0 0 1 1 ? 2199)' },
      { name: 'OFF', schedule: 'rate(1 day)', enabled: false },
    ],
    upstream: { baseUrl: 'https://shop.example.com', timeoutSeconds: 10 },
    alarmEmail: 'operations@example.com',
    alerts: [{ type: 'slack', url: 'shop/slack' }],
  })
})

const only = (type: string) => bundle.only(type)
const alarms = (): Json[] => bundle.of('AWS::CloudWatch::Alarm').map(({ properties }) => properties)
const alarm = (name: string): Json => alarms().find(({ AlarmName }) => AlarmName === `Shop-${name}`)

const inOrder = (one: string, other: string) => one.localeCompare(other)

/** The metrics of an alarm: namespace, name and dimensions. */
const metricsOf = ({
  Namespace,
  MetricName,
  Dimensions = [],
  Metrics = [],
}: Json): [string, string, string][] =>
  MetricName
    ? [[Namespace, MetricName, Dimensions.map(({ Name }: Json) => Name).join()]]
    : Metrics.filter(({ MetricStat }: Json) => MetricStat).flatMap(({ MetricStat: { Metric } }: Json) =>
        metricsOf(Metric),
      )

describe('alarms', () => {
  it('are eight, and watch each metric of the functions, with everything turned on and for 200 entities', () => {
    expect(alarms().map(({ AlarmName }) => AlarmName)).toEqual([
      ...'Shop-ProblemsOpened Shop-FreshnessUnknown Shop-FunctionErrors Shop-ServerErrors'.split(' '),
      ...'Shop-SyncNotStarted Shop-CredentialsRejected Shop-PlatformErrors Shop-AlertNotDelivered'.split(' '),
    ])
    const watched = alarms().flatMap(metricsOf)
    const own = watched.flatMap(([namespace, name]) => (namespace === 'Shop' ? [name] : []))
    expect(own.toSorted(inOrder)).toEqual(Object.keys(metricTable).toSorted(inOrder))
    expect(own.length).toBeLessThanOrEqual(8)
    const ofAws = watched.filter(([namespace]) => namespace !== 'Shop').map((metric) => metric.join(' '))
    expect(ofAws.toSorted(inOrder)).toEqual([
      'AWS/ApiGateway 5xx ApiId',
      'AWS/Lambda Invocations FunctionName',
      ...Array.from({ length: 4 }, () => 'AWS/Lambda Throttles FunctionName'),
      'AWS/SQS ApproximateNumberOfMessagesVisible QueueName',
    ])
    // What CloudWatch charges for.
    expect(readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8')).toContain(
      `eight alarms over ${watched.length} metrics`,
    )
    const entities = Array.from({ length: 200 }, (_, at) => ({ name: `E${at}`, schedule: 'rate(1 day)' }))
    expect(synthesize({ name: 'Shop', entities }).of('AWS::CloudWatch::Alarm')).toHaveLength(8)
  })

  it('describe what happened, link to the runbook and notify the configured address, except that of problems', () => {
    const topic = only('AWS::SNS::Topic')
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions } of alarms()) {
      expect(AlarmDescription).toMatch(
        /^.{20,} What to do: docs\/runbook\.md#[a-z-]+\. Threshold: [\d.]+\. .{20,}$/,
      )
      expect(AlarmDescription.length).toBeLessThan(1024)
      // The topic has the problem itself.
      expect(AlarmActions).toEqual(AlarmName === 'Shop-ProblemsOpened' ? undefined : [{ Ref: topic.id }])
      expect(OKActions).toBeUndefined()
    }
    expect(only('AWS::SNS::Subscription').properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operations@example.com',
    })
  })

  it('need two of three periods with server errors, so that a single burst is not reported', () => {
    expect(alarm('ServerErrors')).toMatchObject({ DatapointsToAlarm: 2, EvaluationPeriods: 3 })
  })

  it('treat missing data as not breaching, except for the one about the freshness check', () => {
    const others = alarms()
      .filter(({ TreatMissingData }) => TreatMissingData !== 'notBreaching')
      .map(({ AlarmName, TreatMissingData }) => `${AlarmName} ${TreatMissingData}`)
    expect(others).toEqual(['Shop-FreshnessUnknown breaching'])
  })

  it('count the crashes and time-outs of every function from its log', () => {
    const filters = bundle.of('AWS::Logs::MetricFilter').map(({ properties }) => properties)
    expect(filters).toHaveLength(bundle.of('AWS::Lambda::Function').length)
    for (const { FilterPattern, MetricTransformations } of filters) {
      expect(FilterPattern).toBe('{ $.type = "platform.report" && $.record.status != "success" }')
      expect(MetricTransformations).toMatchObject([
        { MetricNamespace: 'Shop', MetricName: 'InternalErrors', MetricValue: '1' },
      ])
    }
  })

  it('watch metrics that are emitted under the name of the deployment', () => {
    for (const { properties } of bundle.of('AWS::Lambda::Function'))
      expect(properties.Environment.Variables.METRIC_NAMESPACE).toBe('Shop')
  })
})

it('no dashboard is left', () => expect(bundle.of('AWS::CloudWatch::Dashboard')).toEqual([]))

it('the alarm topic accepts only messages of alarms of this account', () => {
  const [{ properties }] = bundle.of('AWS::SNS::TopicPolicy') as [Resource]
  expect(properties.PolicyDocument.Statement).toContainEqual(
    expect.objectContaining({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }),
  )
})

it('the freshness check runs every five minutes and may only read the state and small objects, write its own items, wake runs and publish what it found', () => {
  const rules = bundle.of('AWS::Events::Rule').filter(({ stack }) => stack === 'ShopMonitoring')
  expect(rules).toMatchObject([{ properties: { ScheduleExpression: 'rate(5 minutes)' } }])
  // Lambda would repeat a check that failed, twice.
  expect(bundle.of('AWS::Lambda::EventInvokeConfig')).toContainEqual(
    expect.objectContaining({
      stack: 'ShopMonitoring',
      properties: expect.objectContaining({ MaximumRetryAttempts: 0 }),
    }),
  )
  const policies = bundle
    .of('AWS::IAM::Policy')
    .filter(({ stack }) => stack === 'ShopMonitoring')
    .flatMap(({ properties }) => properties.PolicyDocument.Statement)
    .flatMap(({ Action }) => Action)
  // A network that is removed is left by every function.
  const actions = new Set(policies.filter((action) => !action.startsWith('ec2:')))
  expect([...actions].toSorted(inOrder)).toEqual([
    ...'dynamodb:BatchGetItem dynamodb:DeleteItem dynamodb:GetItem dynamodb:PutItem'.split(' '),
    ...'dynamodb:Query events:PutEvents logs:CreateLogStream logs:PutLogEvents s3:GetObject'.split(' '),
    ...'s3:ListBucket secretsmanager:GetSecretValue sns:Publish states:SendTaskSuccess'.split(' '),
  ])
})

it('saved queries are those of the table, each with its log groups', () => {
  const saved = bundle.of('AWS::Logs::QueryDefinition').map(({ properties }) => properties)
  expect(saved.map(({ Name }) => Name).toSorted(inOrder)).toEqual(
    Object.keys(savedQueries)
      .map((name) => `Shop/${name}`)
      .toSorted(inOrder),
  )
  const functions = bundle.of('AWS::Lambda::Function').length
  const groups = {
    'API functions': 3,
    worker: 1,
    compare: 1,
    tables: 1,
    freshness: 1,
    'all functions': functions,
    'access log': 1,
  }
  for (const { Name, LogGroupNames, QueryString } of saved) {
    const { source, text } = savedQueries[Name.replace('Shop/', '') as keyof typeof savedQueries]
    expect(QueryString).toBe(text)
    expect(LogGroupNames).toHaveLength(groups[source])
  }
})
