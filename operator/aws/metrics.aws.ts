import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch'
import { awsClients } from './clients.aws.ts'

export interface MetricOfEntity {
  readonly namespace: string
  readonly metric: string
  readonly entity: string
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** How many values of a metric CloudWatch has, by minute. */
export async function countValues({ namespace, metric, entity, from, to }: MetricOfEntity): Promise<number> {
  const { Datapoints = [] } = await awsClients.alarms().send(
    new GetMetricStatisticsCommand({
      Namespace: namespace,
      MetricName: metric,
      Dimensions: [{ Name: 'Entity', Value: entity }],
      StartTime: new Date(from),
      EndTime: new Date(to),
      Period: 60,
      Statistics: ['SampleCount'],
    }),
  )
  return Datapoints.reduce((sum, { SampleCount = 0 }) => sum + SampleCount, 0)
}
