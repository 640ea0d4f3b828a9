import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { type AlarmDefinition, fiveMinutes, type Monitored } from './alarm.ts'
import { functionMetric } from './metrics.ts'

export function platformAlarms({ configuration: { name: namespace } }: Monitored): AlarmDefinition[] {
  return [
    {
      name: 'Platform errors',
      metric: functionMetric(namespace, 'UpstreamFault', { period: fiveMinutes, statistic: Stats.AVERAGE }),
      threshold: 0.2,
      periods: [3, 3],
      reason: 'Retries cannot make up for one failure in five exchanges over 15 minutes.',
      summary:
        'The platform fails: 5xx, or no complete response (host not found, connection refused, certificate, timeout). ' +
        'The log has the reason of each failure.',
    },
    {
      name: 'Platform throttling',
      metric: functionMetric(namespace, 'Upstream429', { period: fiveMinutes }),
      threshold: 20,
      periods: [3, 3],
      reason: 'Some 429s are normal in a burst; 15 minutes of them mean sustained overload.',
      summary: 'The platform keeps responding with 429.',
    },
    {
      name: 'Credentials rejected',
      metric: functionMetric(namespace, 'CredentialsRejected', { period: fiveMinutes }),
      reason: 'The current credentials were rejected. Only an operator can fix that.',
      summary: 'The platform rejects the current credentials with 401 or 403.',
    },
    {
      name: 'Credentials not set',
      metric: functionMetric(namespace, 'CredentialsNotSet', { period: fiveMinutes }),
      reason: 'Calls and syncs cannot work until the credentials are set.',
      summary: 'The secret still contains its placeholder.',
    },
    {
      name: 'Credentials unreadable',
      metric: functionMetric(namespace, 'CredentialsUnreadable', { period: fiveMinutes }),
      periods: [2, 3],
      reason: 'Short Secrets Manager outages resolve themselves. A malformed secret does not.',
      summary: 'The secret cannot be read or is malformed.',
    },
  ]
}
