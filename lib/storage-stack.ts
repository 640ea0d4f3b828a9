import {
  Annotations,
  ArnFormat,
  CfnOutput,
  Duration,
  Fn,
  RemovalPolicies,
  SecretValue,
  Stack,
  type StackProps,
} from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { type Area, areas, placeholder } from '../functions/platform/areas.ts'
import { accessLogDays, oldVersionDays } from '../functions/runtime/settings-schema/bucket-retention.ts'
import { readableKeys } from './config/readers.ts'
import type { Configuration } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { type SecretReference, secretReference } from './constructs/secret-reference.ts'

/**
 * Bucket, table and secret. All resources are retained when the stack is updated or deleted, but not when its creation
 * fails and is rolled back. This includes the policies of the buckets: a retained bucket still requires TLS, and
 * `cdk import` finds everything that a retained resource depends on.
 */
export class StorageStack extends Stack {
  readonly table: Table
  readonly bucket: Bucket
  /** The secret of an area. Areas without one of their own share one. */
  readonly credentialsOf: (area: Area) => SecretReference
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: StackProps & { configuration: Configuration }) {
    super(scope, id, props)
    this.key = customerKey(this, props.configuration)
    this.bucket = this.createBucket(props.configuration)
    this.allowReaders(props.configuration)
    const { credentials: own } = props.configuration
    const shared = this.createSharedSecret(areas.some((area) => !own[area]))
    this.credentialsOf = (area) => secretReference(this, own[area] ?? shared)
    this.table = this.createTable()

    RemovalPolicies.of(this).retainOnUpdateOrDelete()

    new CfnOutput(this, 'SnapshotBucketName', { value: this.bucket.bucketName })
    new CfnOutput(this, 'StateTableName', { value: this.table.tableName })
  }

  private createTable(): Table {
    const table = new Table(this, 'State', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      ...(this.key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.key }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
    })
    // Created last: deletion protection would make the rollback of a failed creation fail.
    for (const other of this.node.children) if (other !== table) table.node.addDependency(other)
    return table
  }

  private createBucket(configuration: Configuration): Bucket {
    return new Bucket(this, 'Snapshots', {
      ...(this.key
        ? // With a bucket key, S3 calls KMS once for many objects.
          { encryption: BucketEncryption.KMS, encryptionKey: this.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      serverAccessLogsBucket: this.createAccessLogBucket(configuration),
      serverAccessLogsPrefix: 'snapshots/',
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // An object that was deleted or overwritten by mistake can be restored for a week: no function may delete
      // versions, except those whose content must be erased (eraseWithinDays).
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(oldVersionDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        { expiredObjectDeleteMarker: true },
      ],
    })
  }

  /**
   * The principal is the account, limited to one of its roles by a condition: S3 refuses a policy with a principal that
   * does not exist, and replaces one that is deleted later by an id that no new role of that name has.
   */
  private allowReaders({ readers, previousEncryptionKeyArns }: Configuration): void {
    for (const reader of readers) {
      const account = this.splitArn(reader.role, ArnFormat.SLASH_RESOURCE_NAME).account as string
      const keys = readableKeys(reader)
      const allow = (action: string, resources: string[], conditions: object = {}) =>
        this.bucket.addToResourcePolicy(
          new PolicyStatement({
            principals: [new AccountPrincipal(account)],
            actions: [action],
            resources,
            conditions: { ArnEquals: { 'aws:PrincipalArn': reader.role }, ...conditions },
          }),
        )
      allow(
        's3:GetObject',
        keys.map((key) => this.bucket.arnForObjects(key)),
      )
      allow('s3:ListBucket', [this.bucket.bucketArn], { StringLike: { 's3:prefix': keys } })
    }
    if ((this.key || previousEncryptionKeyArns.length > 0) && readers.length > 0)
      Annotations.of(this).addWarningV2(
        'longshore:readersNeedKey',
        'The policies of the keys in encryptionKeyArn and previousEncryptionKeyArns must allow kms:Decrypt to the roles in readers. See docs/reading-snapshots.md.',
      )
  }

  /** Logs who read and wrote which object. S3 delivers logs only to buckets without a customer managed key. */
  private createAccessLogBucket({ logRetentionDays }: Configuration): IBucket {
    return new Bucket(this, 'AccessLog', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [
        {
          expiration: Duration.days(accessLogDays(logRetentionDays)),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      // The CDK's own types disagree about which properties may be undefined.
    }) as IBucket
  }

  /**
   * Returns the secret's name. It derives from the bucket's name, which other stacks import anyway (ADR 12). The secret
   * exists even if no area uses it: once retained, it could not be created again under the same name.
   */
  private createSharedSecret(isUsed: boolean): string {
    const secretName = Fn.join('', [this.bucket.bucketName, '/credentials'])
    const secret = new Secret(this, 'Credentials', {
      secretName,
      description: "The commerce platform's credentials: JSON with appKey and appToken",
      // Not a secret: the user sets the real value. This must never change, or a deployment would overwrite that value.
      secretStringValue: SecretValue.unsafePlainText(
        JSON.stringify({ appKey: placeholder, appToken: placeholder }),
      ),
      ...(this.key && { encryptionKey: this.key }),
    })
    // The same as Ref; some emulators return the name for Ref.
    const { attrId } = secret.node.defaultChild as CfnSecret
    if (isUsed) new CfnOutput(this, 'CredentialsSecretArn', { value: attrId })
    return secretName
  }
}
