import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs'
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

/** The KMS key of a log group; undefined if CloudWatch's own key encrypts it. */
export async function keyOfLogGroup(name: string): Promise<string | undefined> {
  const { logGroups = [] } = await awsClients
    .logs()
    .send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }))
  return logGroups.find(({ logGroupName }) => logGroupName === name)?.kmsKeyId
}
