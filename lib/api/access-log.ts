import { Stack } from 'aws-cdk-lib'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { createLogGroup, type LogGroupOptions } from '../constructs/log-group.ts'

/**
 * Who called which route, and the outcome. API Gateway inserts values without escaping them, so no field can be chosen
 * by a caller: no path, query or header. The issuer chooses `sub`. The functions log the details in escaped JSON.
 */
export const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  caller: '$context.identity.userArn',
  subject: '$context.authorizer.claims.sub',
  route: '$context.routeKey',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
  gatewayError: '$context.error.responseType',
})

export function createAccessLog(scope: Construct, configuration: LogGroupOptions['configuration']): LogGroup {
  return createLogGroup(scope, 'AccessLog', {
    configuration,
    // API Gateway adds every other log group to the account's resource policy for CloudWatch Logs, which is limited to
    // 5,120 characters (API Gateway developer guide, "Configure logging for HTTP APIs").
    name: `/aws/vendedlogs/apigateway/${Stack.of(scope).stackName}`,
  })
}
