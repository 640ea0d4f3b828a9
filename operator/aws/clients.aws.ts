import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GlueClient } from '@aws-sdk/client-glue'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SFNClient } from '@aws-sdk/client-sfn'
import { STSClient } from '@aws-sdk/client-sts'
import { readProxy } from '../../functions/upstream/internet-proxy.ts'
import { withoutLogger } from '../../stored/dynamodb/connect.aws.ts'

/** More generous than the limits of the functions: an operator's network is slower than a data center's. */
const limits = (timeoutMs: number) => ({
  maxAttempts: 4,
  requestHandler: {
    connectionTimeout: 5_000,
    // Until the response begins. Without `throwOnRequestTimeout` the SDK only logs a warning.
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    // Idle time, including while a body is read.
    socketTimeout: timeoutMs,
    ...agents(),
  },
})

/** An operator's machine may reach the internet through a proxy only, as the CDK's command line does. */
function agents() {
  const proxyEnv = readProxy()
  return proxyEnv && { httpAgent: { proxyEnv }, httpsAgent: { proxyEnv } }
}

/** The AWS clients of an operator, each with time limits and a bounded number of attempts. */
export const awsClients = {
  alarms: () => new CloudWatchClient(limits(15_000)),
  functions: () => new LambdaClient(limits(15_000)),
  glue: () => new GlueClient(limits(15_000)),
  identity: () => new STSClient(limits(15_000)),
  logs: () => new CloudWatchLogsClient(limits(30_000)),
  stacks: () => new CloudFormationClient(limits(15_000)),
  table: () => withoutLogger(new DynamoDBClient(limits(15_000))),
  bucket: () => new S3Client(limits(30_000)),
  schedules: () => new SchedulerClient(limits(15_000)),
  secrets: () => new SecretsManagerClient(limits(15_000)),
  stateMachine: () => new SFNClient(limits(15_000)),
} as const
