import { fileURLToPath } from 'node:url'
import { Duration } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { BlockPublicAccess, Bucket, type IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'

export interface ChangesFunctionProps {
  /** The output `SnapshotBucketName`, or `bucket` of the construct `Longshore`. */
  readonly bucket: IBucket
  /** The configuration's `name`. */
  readonly deployment: string
  readonly entity: string
}

/** Runs `handler.ts` when change sets of an entity are published. */
export class ChangesFunction extends Construct {
  constructor(scope: Construct, id: string, { bucket, deployment, entity }: ChangesFunctionProps) {
    super(scope, id)
    const positions = new Bucket(this, 'Positions', {
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    })
    const handler = new NodejsFunction(this, 'Handler', {
      entry: fileURLToPath(new URL('handler.ts', import.meta.url)),
      runtime: Runtime.NODEJS_24_X,
      memorySize: 1024,
      timeout: Duration.minutes(15),
      // One event after the other: Lambda repeats an event that is throttled.
      reservedConcurrentExecutions: 1,
      environment: { POSITIONS: positions.bucketName },
    })
    bucket.grantRead(handler)
    positions.grantReadWrite(handler)
    new Rule(this, 'Published', {
      eventPattern: {
        source: ['Longshore'],
        detailType: ['Changes Published'],
        detail: { deployment: [deployment], entity: [entity] },
      },
      targets: [new LambdaFunction(handler)],
    })
  }
}
