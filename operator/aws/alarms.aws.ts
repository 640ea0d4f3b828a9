import {
  DescribeAlarmHistoryCommand,
  paginateDescribeAlarms,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch'
import { awsClients } from './clients.aws.ts'

export interface FiringAlarm {
  readonly name: string
  readonly description: string
  /** ISO 8601. */
  readonly since: string
}

/** The alarms of a deployment that are firing. Their names begin with the deployment's. */
export async function readFiringAlarms(
  deployment: string,
  client = awsClients.alarms(),
): Promise<FiringAlarm[]> {
  const alarms: FiringAlarm[] = []
  const wanted = { AlarmNamePrefix: `${deployment}-`, StateValue: 'ALARM' } as const
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, wanted)) {
    for (const { AlarmName = '', AlarmDescription = '', StateTransitionedTimestamp } of MetricAlarms) {
      const since = (StateTransitionedTimestamp ?? new Date(0)).toISOString()
      alarms.push({ name: AlarmName, description: AlarmDescription, since })
    }
  }
  return alarms
}

/** An alarm whose state can be set. */
export interface QuietAlarm {
  readonly name: string
  readonly state: 'OK' | 'INSUFFICIENT_DATA'
  /** The ARNs that it notifies. */
  readonly actions: readonly string[]
}

/** An alarm of a deployment that is not firing and notifies somebody; undefined if there is none. */
export async function findQuietAlarm(deployment: string): Promise<QuietAlarm | undefined> {
  const client = awsClients.alarms()
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms(
    { client },
    { AlarmNamePrefix: `${deployment}-` },
  )) {
    for (const { AlarmName: name = '', StateValue: state, ActionsEnabled, AlarmActions = [] } of MetricAlarms)
      if ((state === 'OK' || state === 'INSUFFICIENT_DATA') && ActionsEnabled && AlarmActions.length > 0)
        return { name, state, actions: AlarmActions }
  }
  return undefined
}

export async function setAlarmState(
  name: string,
  state: 'ALARM' | QuietAlarm['state'],
  reason: string,
): Promise<void> {
  const change = { AlarmName: name, StateValue: state, StateReason: reason }
  await awsClients.alarms().send(new SetAlarmStateCommand(change))
}

/** What CloudWatch says about the state and the actions of an alarm since a time (epoch milliseconds), newest first. */
export async function readAlarmHistory(name: string, since: number): Promise<string[]> {
  const { AlarmHistoryItems = [] } = await awsClients
    .alarms()
    .send(new DescribeAlarmHistoryCommand({ AlarmName: name, StartDate: new Date(since) }))
  return AlarmHistoryItems.map(
    ({ HistoryItemType, HistorySummary }) => `${HistoryItemType}: ${HistorySummary}`,
  )
}
