import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'
import { customerKey } from './customer-key.ts'

export interface LogGroupOptions {
  readonly configuration: Pick<Configuration, 'logRetentionDays' | 'encryptionKeyArn'>
  /** CloudFormation chooses one if absent. */
  readonly name?: string
}

/** Every log group of the stacks is created here. It is deleted with its stack. */
export function createLogGroup(
  scope: Construct,
  id: string,
  { configuration, name }: LogGroupOptions,
): LogGroup {
  const encryptionKey = customerKey(scope, configuration)
  return new LogGroup(scope, id, {
    ...(name && { logGroupName: name }),
    retention: configuration.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  })
}
