import { beforeAll, describe, expect, it } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { type Bundle, type Resource, synthesize } from './synthesize.ts'
import { isKnown, type Json, metricsOfAlarms, metricsOfDashboard } from './watched-metrics.ts'

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

/** The dashboard as JSON. Values that only the deployment knows become `?`. */
function widgets(): Json[] {
  const { DashboardBody } = only('AWS::CloudWatch::Dashboard').properties
  const parts: unknown[] = DashboardBody['Fn::Join'][1]
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '?')).join('')).widgets
}

describe('every watched metric', () => {
  it('is emitted by the functions or by an AWS service, with these dimensions', () => {
    for (const found of [metricsOfAlarms(alarms()), metricsOfDashboard(widgets())]) {
      expect(found.length).toBeGreaterThan(20)
      expect(found.filter((metric) => !isKnown(metric))).toEqual([])
    }
  })

  it('includes every metric that the functions emit', () => {
    const seen = new Set(
      [...metricsOfAlarms(alarms()), ...metricsOfDashboard(widgets())].map(({ name }) => name),
    )
    const unseen = Object.keys(metricTable).filter((name) => !seen.has(name))
    expect(unseen).toEqual([])
  })

  it('is emitted under the name of the deployment', () => {
    for (const { properties } of bundle.of('AWS::Lambda::Function'))
      expect(properties.Environment.Variables.METRIC_NAMESPACE).toBe('Shop')
  })
})

describe('alarms', () => {
  it('describe what happened, link to the runbook and notify the configured address', () => {
    const topic = only('AWS::SNS::Topic')
    for (const { AlarmDescription, AlarmActions, OKActions } of alarms()) {
      expect(AlarmDescription).toMatch(
        /^.{20,} What to do: docs\/runbook\.md#[a-z-]+\. Threshold: [\d.]+\. .{20,}$/,
      )
      expect(AlarmDescription.length).toBeLessThan(1024)
      expect(AlarmActions).toEqual([{ Ref: topic.id }])
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

  it('stay within the limits of CloudWatch', () => {
    for (const { Period, Metrics = [], EvaluationPeriods, DatapointsToAlarm } of alarms()) {
      const period = Period ?? Metrics.find((each: Json) => each.MetricStat)?.MetricStat.Period
      expect(period % 60).toBe(0)
      // PutMetricAlarm, Period: at most a day, or a week for periods of an hour or more.
      expect(period * EvaluationPeriods).toBeLessThanOrEqual(period < 3600 ? 86_400 : 604_800)
      expect(DatapointsToAlarm).toBeLessThanOrEqual(EvaluationPeriods)
    }
  })

  it('treat missing data as not breaching, except for those about the freshness check and erasure', () => {
    const others = alarms()
      .filter(({ TreatMissingData }) => TreatMissingData !== 'notBreaching')
      .map(({ AlarmName, TreatMissingData }) => `${AlarmName} ${TreatMissingData}`)
    expect(others.toSorted(inOrder)).toEqual([
      'Shop-ErasureIncomplete ignore',
      'Shop-ErasureMissing-Snapshots breaching',
      'Shop-ErasureMissing-Tables breaching',
      'Shop-ErasureWaits ignore',
      'Shop-FreshnessUnknown breaching',
      'Shop-IncrementsStale ignore',
      'Shop-SnapshotStale ignore',
    ])
  })

  it('are as many for 200 entities as for one: one alarm and one metric report stale snapshots', () => {
    const alarmsOf = (count: number) =>
      synthesize({
        name: 'Shop',
        entities: Array.from({ length: count }, (_, index) => ({
          name: `E${index}`,
          schedule: 'rate(1 day)',
        })),
      }).of('AWS::CloudWatch::Alarm').length
    expect(alarmsOf(200)).toBe(alarmsOf(1))
    expect(alarm('SnapshotStale')).toMatchObject({
      MetricName: 'StaleSnapshots',
      Statistic: 'Maximum',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    })
    expect(alarm('SnapshotStale').Dimensions).toBeUndefined()
  })

  it('watch every function for crashes, throttling and its time limit', () => {
    const functions = bundle.of('AWS::Lambda::Function')
    for (const metric of ['Errors', 'Throttles', 'Duration']) {
      const watched = alarms().filter(({ MetricName }) => MetricName === metric)
      expect(watched).toHaveLength(functions.length)
    }
    for (const { AlarmName, Threshold } of alarms().filter(({ MetricName }) => MetricName === 'Duration')) {
      const id = AlarmName.replace('Shop-FunctionTimedOut-', '')
      const limit = functions.find((each) => each.id.startsWith(`${id}Function`))?.properties.Timeout
      expect(Threshold).toBe(limit * 990)
    }
  })

  it('warn of slow calls at 80% of the time limit', () => {
    expect(alarm('SlowCalls')).toMatchObject({ ExtendedStatistic: 'p99', Threshold: 8_000 })
  })

  it('may publish to the topic', () => {
    expect(only('AWS::SNS::TopicPolicy').properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
      }),
    )
  })
})

describe('the alarm topic', () => {
  it('accepts only messages of alarms of this account', () => {
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
})

describe('the freshness check', () => {
  it('runs every five minutes and may only read the state and small objects, write its own items and publish events', () => {
    const rules = bundle.of('AWS::Events::Rule').filter(({ stack }) => stack === 'ShopMonitoring')
    expect(rules).toMatchObject([{ properties: { ScheduleExpression: 'rate(5 minutes)' } }])
    const policies = bundle
      .of('AWS::IAM::Policy')
      .filter(({ stack }) => stack === 'ShopMonitoring')
      .flatMap(({ properties }) => properties.PolicyDocument.Statement)
      .flatMap(({ Action }) => Action)
    // A network that is removed is left by every function.
    const actions = new Set(policies.filter((action) => !action.startsWith('ec2:')))
    expect([...actions].toSorted(inOrder)).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'events:PutEvents',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      's3:GetObject',
      's3:ListBucket',
      'secretsmanager:GetSecretValue',
    ])
  })
})

describe('the dashboard', () => {
  it('answers the questions of an operator in their order', () => {
    const questions = widgets()
      .filter(({ type }) => type === 'text')
      .map(({ properties }) => properties.markdown)
    expect(questions).toEqual([
      '## Are the snapshots fresh and complete?',
      '## Is the API proxy healthy?',
      '## Is the platform healthy?',
      '## What does it cost?',
    ])
  })

  it('has a name that differs in each region', () => {
    expect(only('AWS::CloudWatch::Dashboard').properties.DashboardName).toEqual({
      'Fn::Join': ['', ['Shop-', { Ref: 'AWS::Region' }]],
    })
  })

  it.each([
    ['aws', 'console.aws.amazon.com'],
    ['aws-cn', 'console.amazonaws.cn'],
    ['aws-us-gov', 'console.amazonaws-us-gov.com'],
    ['aws-eusc', 'console.amazonaws-eusc.eu'],
    ['unknown', 'console.aws.amazon.com'],
  ])('has a URL in the console of the partition %s', (partition, domain) => {
    const { Conditions } = JSON.parse(bundle.templates['ShopMonitoring'] ?? '')
    const evaluate = (value: Json): Json => {
      if (typeof value !== 'object') return value
      if (value.Ref) return value.Ref === 'AWS::Region' ? 'eu-west-1' : partition
      if (value['Fn::Equals']) return evaluate(value['Fn::Equals'][0]) === value['Fn::Equals'][1]
      const [condition, yes, no] = value['Fn::If'] ?? []
      if (condition) return evaluate(evaluate(Conditions[condition]) ? yes : no)
      return value['Fn::Join'][1].map(evaluate).join('')
    }
    const { Ref } = (bundle.outputs['ShopMonitoring.DashboardUrl'] as Json)['Fn::Join'][1].at(-1)
    expect(Ref).toBe(only('AWS::CloudWatch::Dashboard').id)
    expect(evaluate(bundle.outputs['ShopMonitoring.DashboardUrl'])).toMatch(
      new RegExp(
        `^https://eu-west-1\\.${domain.replaceAll('.', '\\.')}/cloudwatch/home\\?region=eu-west-1#dashboards/dashboard/`,
      ),
    )
  })

  it('shows every alarm once', () => {
    const shown = widgets()
      .filter(({ type }) => type === 'alarm')
      .flatMap(({ properties }) => properties.alarms)
    expect(shown).toHaveLength(alarms().length)
  })
})

describe('saved queries', () => {
  it('are those of the table, each with its log groups', () => {
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
})
