import { RemovalPolicy } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'

export interface LogGroupOptions {
  readonly configuration: Pick<Configuration, 'logRetentionDays'>
  readonly key: IKey | undefined
  /** CloudFormation chooses one if absent. */
  readonly name?: string
}

/** Every log group of the stacks is created here. It is deleted with its stack. */
export function createLogGroup(
  scope: Construct,
  id: string,
  { configuration, key, name }: LogGroupOptions,
): LogGroup {
  return new LogGroup(scope, id, {
    ...(name && { logGroupName: name }),
    retention: configuration.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  })
}
