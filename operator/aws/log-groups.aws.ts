import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs'
import { awsClients } from './clients.aws.ts'

export interface LogSearch {
  readonly group: string
  /** A filter pattern of CloudWatch Logs. */
  readonly pattern: string
  /** Epoch milliseconds, inclusive. */
  readonly from: number
  readonly to: number
}

export interface LogEvent {
  /** Unique in the log of a deployment. */
  readonly id: string
  readonly text: string
}

/** The matching events of a log group. */
export async function searchLogGroup(
  { group, pattern, from, to }: LogSearch,
  signal: AbortSignal,
): Promise<LogEvent[]> {
  const client = awsClients.logs()
  const found: LogEvent[] = []
  const wanted = { logGroupName: group, filterPattern: pattern, startTime: from, endTime: to }
  const pages = paginateFilterLogEvents({ client }, wanted, { abortSignal: signal })
  for await (const { events = [] } of pages) {
    found.push(...events.map(({ eventId, message = '' }) => ({ id: `${group} ${eventId}`, text: message })))
  }
  return found
}
