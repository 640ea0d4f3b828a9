import { paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch'
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
