import { beforeAll, describe, expect, it } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { type Bundle, type Resource, synthesise } from './synthesise.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesise({
    name: 'Shop',
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)' },
      { name: 'AD', schedule: 'cron(0 9 ? * MON-FRI *)', timezone: 'Europe/Lisbon' },
      { name: 'YEARLY', schedule: 'cron(0 0 1 1 ? *)' },
      { name: 'ONCE', schedule: 'cron(0 0 1 1 ? 2199)' },
      { name: 'OFF', schedule: 'rate(1 day)', enabled: false },
    ],
    upstream: { baseUrl: 'https://shop.example.com', timeoutSeconds: 10 },
    alarmEmail: 'operations@example.com',
  })
})

const only = (type: string): Resource => {
  const found = bundle.of(type)
  expect(found).toHaveLength(1)
  return found[0] as Resource
}
// biome-ignore lint/suspicious/noExplicitAny: a template has no types
type Json = any
const alarms = (): Json[] => bundle.of('AWS::CloudWatch::Alarm').map(({ properties }) => properties)
const alarm = (name: string): Json => alarms().find(({ AlarmName }) => AlarmName === `Shop-${name}`)

const inOrder = (one: string, other: string) => one.localeCompare(other)

interface Named {
  readonly namespace: string
  readonly name: string
  readonly dimensions: readonly string[]
}

/** CloudWatch's metrics that we look at, with the dimensions by which AWS keeps them (each service's user guide). */
const ofAws: Readonly<Record<string, { names: readonly string[]; dimensions: readonly string[] }>> = {
  'AWS/ApiGateway': { names: ['Count', '4xx', '5xx'], dimensions: ['ApiId'] },
  'AWS/DynamoDB': {
    names: [
      'ReadThrottleEvents',
      'WriteThrottleEvents',
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
    ],
    dimensions: ['TableName'],
  },
  'AWS/Lambda': { names: ['Invocations', 'Errors', 'Throttles', 'Duration'], dimensions: ['FunctionName'] },
  'AWS/SQS': { names: ['ApproximateNumberOfMessagesVisible'], dimensions: ['QueueName'] },
  'AWS/States': {
    names: ['ExecutionsStarted', 'ExecutionsFailed', 'ExecutionsTimedOut'],
    dimensions: ['StateMachineArn'],
  },
}

function isKnown({ namespace, name, dimensions }: Named): boolean {
  const service = ofAws[namespace]
  if (service)
    return service.names.includes(name) && service.dimensions.join() === dimensions.toSorted(inOrder).join()
  const ours = (metricTable as Record<string, { dimensions: readonly (readonly string[])[] } | undefined>)[
    name
  ]
  return namespace === 'Shop' && (ours?.dimensions.some((set) => set.join() === dimensions.join()) ?? false)
}

function metricsOfAlarms(): Named[] {
  return alarms().flatMap(({ Namespace, MetricName, Dimensions = [], Metrics = [] }) => [
    ...(MetricName ? [named(Namespace, MetricName, Dimensions)] : []),
    ...Metrics.filter(({ MetricStat }: Json) => MetricStat).map(({ MetricStat: { Metric } }: Json) =>
      named(Metric.Namespace, Metric.MetricName, Metric.Dimensions ?? []),
    ),
  ])
}

const named = (namespace: string, name: string, dimensions: { Name: string }[]): Named => ({
  namespace,
  name,
  dimensions: dimensions.map(({ Name }) => Name),
})

/** The dashboard as JSON; what only the deployment knows stands as `?`. */
function widgets(): Json[] {
  const { DashboardBody } = only('AWS::CloudWatch::Dashboard').properties
  const parts: unknown[] = DashboardBody['Fn::Join'][1]
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '?')).join('')).widgets
}

function metricsOfDashboard(): Named[] {
  return widgets()
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap((row: Json[]): Named[] => {
      const texts = row.filter((part) => typeof part === 'string')
      const [namespace, name = '', ...rest] = texts
      if (namespace) return [{ namespace, name, dimensions: rest.filter((_, index) => index % 2 === 0) }]
      const { expression } = row[0]
      const [, ofSearch, dimension = '', metric = ''] =
        /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"', 'Maximum', \d+\)$/.exec(expression) ?? []
      if (ofSearch) return [{ namespace: ofSearch, name: metric, dimensions: [dimension] }]
      // Arithmetic over metrics that stand beside it.
      expect(expression).toMatch(/^duration\d+ \/ 1000 \* [\d.]+$/)
      return []
    })
}

describe('every metric that is looked at', () => {
  it('is one that we emit, or one of AWS’s, with its dimensions', () => {
    for (const found of [metricsOfAlarms(), metricsOfDashboard()]) {
      expect(found.length).toBeGreaterThan(20)
      expect(found.filter((metric) => !isKnown(metric))).toEqual([])
    }
  })

  it('and every metric that we emit is looked at', () => {
    const seen = new Set([...metricsOfAlarms(), ...metricsOfDashboard()].map(({ name }) => name))
    const unseen = Object.keys(metricTable).filter((name) => !seen.has(name))
    // Each is told by its opposite.
    expect(unseen).toEqual(['RunsPublished', 'RunsFailed'])
  })

  it('is emitted by each function under the name of the deployment', () => {
    for (const { properties } of bundle.of('AWS::Lambda::Function'))
      expect(properties.Environment.Variables.METRIC_NAMESPACE).toBe('Shop')
  })
})

describe('alarms', () => {
  it('say what happened and where the mending is described, and tell whom the owner named', () => {
    const topic = only('AWS::SNS::Topic')
    for (const { AlarmDescription, AlarmActions, OKActions } of alarms()) {
      expect(AlarmDescription).toMatch(
        /^.{20,} What to do: docs\/runbook\.md#[a-z-]+\. Why at [\d.]+: .{20,}$/,
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

  it('stay within what CloudWatch takes', () => {
    for (const { Period, Metrics = [], EvaluationPeriods, DatapointsToAlarm } of alarms()) {
      const period = Period ?? Metrics.find((each: Json) => each.MetricStat)?.MetricStat.Period
      expect(period % 60).toBe(0)
      // PutMetricAlarm, Period: a day at most, and a week for periods of an hour or more.
      expect(period * EvaluationPeriods).toBeLessThanOrEqual(period < 3600 ? 86_400 : 604_800)
      expect(DatapointsToAlarm).toBeLessThanOrEqual(EvaluationPeriods)
    }
  })

  it('take silence for good, but for what tells of silence', () => {
    const others = alarms()
      .filter(({ TreatMissingData }) => TreatMissingData !== 'notBreaching')
      .map(({ AlarmName, TreatMissingData }) => `${AlarmName} ${TreatMissingData}`)
    expect(others.toSorted(inOrder)).toEqual([
      'Shop-FreshnessUnknown breaching',
      'Shop-SnapshotTooOld-AD ignore',
      'Shop-SnapshotTooOld-CL ignore',
      'Shop-SnapshotTooOld-YEARLY ignore',
    ])
  })

  it.each([
    ['CL', 12 * 3600],
    // From Friday to Monday.
    ['AD', 2 * 3 * 86_400],
    ['YEARLY', 2 * 366 * 86_400],
  ])('wait for %s twice as long as its schedule may', (entity, seconds) => {
    expect(alarm(`SnapshotTooOld-${entity}`)).toMatchObject({
      MetricName: 'SnapshotAgeSeconds',
      Dimensions: [{ Name: 'Entity', Value: entity }],
      Threshold: seconds,
    })
  })

  it('expect nothing of an entity without a schedule, or whose schedule does not come again', () => {
    expect(alarm('SnapshotTooOld-OFF')).toBeUndefined()
    expect(alarm('SnapshotTooOld-ONCE')).toBeUndefined()
  })

  it('watch every function for crashes, throttles and its time limit', () => {
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

  it('know the deadline of a call', () => {
    expect(alarm('SlowCalls')).toMatchObject({ ExtendedStatistic: 'p99', Threshold: 8_000 })
  })

  it('can reach the topic', () => {
    expect(only('AWS::SNS::TopicPolicy').properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
      }),
    )
  })
})

describe('the freshness check', () => {
  it('runs four times an hour and may do no more than read the state and remember', () => {
    expect(only('AWS::Events::Rule').properties).toMatchObject({ ScheduleExpression: 'rate(15 minutes)' })
    const policies = bundle
      .of('AWS::IAM::Policy')
      .filter(({ stack }) => stack === 'ShopMonitoring')
      .flatMap(({ properties }) => properties.PolicyDocument.Statement)
      .flatMap(({ Action }) => Action)
    expect(policies.toSorted(inOrder)).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ])
  })
})

describe('the dashboard', () => {
  it('answers an owner’s questions in their order', () => {
    const questions = widgets()
      .filter(({ type }) => type === 'text')
      .map(({ properties }) => properties.markdown)
    expect(questions).toEqual([
      '## Are my copies fresh and complete?',
      '## Is the front door healthy?',
      '## Is the platform healthy?',
      '## What does it cost?',
    ])
  })

  it('shows every alarm once', () => {
    const shown = widgets()
      .filter(({ type }) => type === 'alarm')
      .flatMap(({ properties }) => properties.alarms)
    expect(shown).toHaveLength(alarms().length)
  })
})

describe('saved queries', () => {
  it('are those of the table, each on the logs that it is about', () => {
    const saved = bundle.of('AWS::Logs::QueryDefinition').map(({ properties }) => properties)
    expect(saved.map(({ Name }) => Name).toSorted(inOrder)).toEqual(
      Object.keys(savedQueries)
        .map((name) => `Shop/${name}`)
        .toSorted(inOrder),
    )
    const functions = bundle.of('AWS::Lambda::Function').length
    const groups = { 'front door': 3, worker: 1, 'all functions': functions, 'access log': 1 }
    for (const { Name, LogGroupNames, QueryString } of saved) {
      const { source, text } = savedQueries[Name.replace('Shop/', '') as keyof typeof savedQueries]
      expect(QueryString).toBe(text)
      expect(LogGroupNames).toHaveLength(groups[source])
    }
  })
})
