/**
 * The metrics that our code emits, each a number for the whole deployment: CloudWatch charges for every name and every
 * value of a dimension. Alarms and docs/logs-and-metrics.md use these names.
 */
export const metricTable = {
  ProblemsOpened: 'Problems that opened, in each check in which some did',
  AlertFailures:
    'Receivers to which a message about problems could not be delivered, the topic of the alarms included, in each check until it is',
  EventsNotSent: 'Events that could not be sent',
  InternalErrors:
    'Requests that failed with an internal error (500), and invocations that crashed or timed out',
  CredentialsRejected:
    'Proxied calls without usable credentials: the platform rejected them (401, 403 without an HTML page or a limit), even after the secret was read again, or they were not set, or could not be read',
  UpstreamFault:
    '1 for an exchange of a proxied call with 5xx or no response, 0 for others; the average is the error rate',
} as const

export type MetricName = keyof typeof metricTable
