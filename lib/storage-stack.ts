import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  RemovalPolicy,
  SecretValue,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { type Area, areas, placeholder } from '../functions/platform/areas.ts'
import type { Configuration } from './config.ts'
import { type CredentialsSecret, existingSecret, ownSecret } from './constructs/credentials-secret.ts'
import { customerKey } from './constructs/customer-key.ts'
import { SnapshotTables } from './constructs/snapshot-tables.ts'

/** What must outlive everything else: the platform's keys, the state of syncs, the snapshots. */
export class StorageStack extends Stack {
  readonly table: Table
  readonly bucket: Bucket
  readonly credentials: Readonly<Record<Area, CredentialsSecret>>
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: StackProps & { configuration: Configuration }) {
    super(scope, id, props)
    this.key = customerKey(this, props.configuration)
    this.table = this.createTable()
    this.bucket = this.createBucket()
    this.credentials = this.findSecrets(props.configuration.credentials)

    const tables = new SnapshotTables(this, 'Tables', {
      configuration: props.configuration,
      bucket: this.bucket,
    })

    new CfnOutput(this, 'SnapshotBucketName', { value: this.bucket.bucketName })
    new CfnOutput(this, 'StateTableName', { value: this.table.tableName })
    new CfnOutput(this, 'SnapshotDatabaseName', { value: tables.databaseName })
  }

  private createTable(): Table {
    return new Table(this, 'State', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      ...(this.key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.key }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }

  private createBucket(): Bucket {
    return new Bucket(this, 'Snapshots', {
      ...(this.key
        ? // With a key of the bucket's, S3 asks KMS once for many pages.
          { encryption: BucketEncryption.KMS, encryptionKey: this.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      serverAccessLogsBucket: this.createAccessLogBucket(),
      serverAccessLogsPrefix: 'snapshots/',
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // A snapshot that was deleted or overwritten by mistake can be fetched back for a week: no function of
      // ours may delete a version.
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(7),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        { expiredObjectDeleteMarker: true },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    })
  }

  /** Who read and wrote which object, by a link too. S3 delivers here only without a key of the owner's. */
  private createAccessLogBucket(): IBucket {
    return new Bucket(this, 'AccessLog', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [
        { expiration: Duration.days(90), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
      // The CDK's own types disagree on what may be undefined.
    }) as IBucket
  }

  /** Areas without a secret of their own share one, which is created only for them. */
  private findSecrets(own: Configuration['credentials']): Record<Area, CredentialsSecret> {
    const shared = areas.every((area) => own[area]) ? undefined : this.createSecret()
    const find = (area: Area) => {
      const nameOrArn = own[area]
      return nameOrArn ? existingSecret(this, nameOrArn) : (shared as CredentialsSecret)
    }
    return {
      logistics: find('logistics'),
      subscriptions: find('subscriptions'),
      documents: find('documents'),
    }
  }

  private createSecret(): CredentialsSecret {
    const secret = new Secret(this, 'Credentials', {
      description: "The commerce platform's keys, as JSON with appKey and appToken",
      // Not a secret: the owner sets the real value. It must never change here, or a deployment would
      // overwrite what the owner has set.
      secretStringValue: SecretValue.unsafePlainText(
        JSON.stringify({ appKey: placeholder, appToken: placeholder }),
      ),
      ...(this.key && { encryptionKey: this.key }),
      removalPolicy: RemovalPolicy.RETAIN,
    })
    // An export cannot be taken back while another stack imports it, and this one goes when each area has its own.
    CrossStackReferences.of(secret).produce(ReferenceStrength.WEAK)
    const credentials = ownSecret(secret.node.defaultChild as CfnSecret)
    new CfnOutput(this, 'CredentialsSecretArn', { value: credentials.id })
    return credentials
  }
}
