import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { resolveConfig } from './config.ts'
import { featureFlags } from './feature-flags.ts'
import { type LongshoreProps, toConfiguration } from './longshore-props.ts'
import { createStacks } from './stacks.ts'

/** All of Longshore in another CDK app, with the same stacks and names. Throws `ConfigurationError`. */
export class Longshore extends Construct {
  /** Snapshots, change sets and tables. */
  readonly bucket: Bucket
  /** State of syncs. */
  readonly table: Table
  readonly api: HttpApi
  readonly stateMachine: StateMachine
  readonly alarmsTopic: Topic

  constructor(scope: Construct, id: string, props: LongshoreProps) {
    super(scope, id)
    for (const [flag, value] of Object.entries(featureFlags)) this.node.setContext(flag, value)
    const { storage, api, sync, monitoring } = createStacks(this, resolveConfig(toConfiguration(props)))
    this.bucket = storage.bucket
    this.table = storage.table
    this.api = api.api
    this.stateMachine = sync.machine
    this.alarmsTopic = monitoring.alarmsTopic
  }
}
