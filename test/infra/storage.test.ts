import { beforeAll, describe, expect, it } from 'vitest'
import { lambdaFunctions } from '../../functions/http/lambda-functions.ts'
import { type Bundle, type Resource, synthesize, synthesizeApp } from './synthesize.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize()
})

const only = (type: string) => bundle.only(type)

const buckets = () => bundle.of('AWS::S3::Bucket')
const bucketNamed = (start: string): Resource => {
  const found = buckets().find(({ id }) => id.startsWith(start))
  if (!found) throw new Error(`no bucket ${start}`)
  return found
}

describe('storage', () => {
  it('is retained when its stack is updated or deleted, but not when its creation is rolled back', () => {
    const types = [
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
      'AWS::DynamoDB::Table',
      'AWS::SecretsManager::Secret',
    ]
    const kept = types.flatMap((type) => bundle.of(type))
    expect(kept).toHaveLength(6)
    for (const resource of kept)
      expect(resource).toMatchObject({
        deletionPolicy: 'RetainExceptOnCreate',
        updateReplacePolicy: 'Retain',
      })
  })

  it('creates the table last, since its deletion protection would block a rollback', () => {
    const template = JSON.parse(bundle.templates['LongshoreStorage'] ?? '')
    const table = only('AWS::DynamoDB::Table').id
    const others = Object.keys(template.Resources).filter((id) => id !== table && id !== 'CDKMetadata')
    expect(template.Resources[table].DependsOn.toSorted()).toEqual(others.toSorted())
  })

  it.each([
    ['30 days by default', {}, 30],
    ['as long as logRetentionDays', { logRetentionDays: 365 }, 365],
  ])('keeps every log %s', (_how, change, days) => {
    const groups = synthesize(change).of('AWS::Logs::LogGroup')
    expect(groups).toHaveLength(lambdaFunctions.length + 2)
    for (const { properties } of groups) expect(properties.RetentionInDays).toBe(days)
  })

  it.each([
    [30, 90],
    [365, 365],
  ])('with logRetentionDays: %i keeps the access log of the bucket for %i days', (logRetentionDays, days) => {
    const [log] = synthesize({ logRetentionDays })
      .of('AWS::S3::Bucket')
      .filter(({ id }) => id.startsWith('AccessLog'))
    expect(log?.properties.LifecycleConfiguration.Rules).toMatchObject([{ ExpirationInDays: days }])
  })

  it('is the only stack with termination protection', () => {
    const stacks = synthesizeApp({}, (app) => app.synth().stacks)
    const isProtected = ({ terminationProtection }: (typeof stacks)[number]) => terminationProtection
    expect(stacks.filter(isProtected).map(({ stackName }) => stackName)).toEqual(['LongshoreStorage'])
  })

  it('keeps state in a table with point-in-time recovery, TTL and deletion protection', () => {
    expect(only('AWS::DynamoDB::Table').properties).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      DeletionProtectionEnabled: true,
    })
  })

  it('has only encrypted buckets without public access', () => {
    expect(buckets()).toHaveLength(2)
    for (const { properties } of buckets())
      expect(properties).toMatchObject({
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      })
  })

  it('refuses requests without TLS to any bucket', () => {
    for (const { id } of buckets()) {
      const policy = bundle.of('AWS::S3::BucketPolicy').find(({ properties }) => properties.Bucket.Ref === id)
      expect(policy?.properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 's3:*',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      )
    }
  })

  it('logs who read and wrote snapshots', () => {
    const log = bucketNamed('AccessLog')
    expect(bucketNamed('Snapshots').properties.LoggingConfiguration).toEqual({
      DestinationBucketName: { Ref: log.id },
      LogFilePrefix: 'snapshots/',
    })
    const policy = bundle
      .of('AWS::S3::BucketPolicy')
      .find(({ properties }) => properties.Bucket.Ref === log.id)
    expect(policy?.properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 's3:PutObject',
        Principal: { Service: 'logging.s3.amazonaws.com' },
        Condition: expect.objectContaining({
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        }),
      }),
    )
  })

  it('keeps deleted objects for a week and removes incomplete uploads', () => {
    const { VersioningConfiguration, LifecycleConfiguration } = bucketNamed('Snapshots').properties
    expect(VersioningConfiguration).toEqual({ Status: 'Enabled' })
    expect(Object.assign({}, ...LifecycleConfiguration.Rules)).toMatchObject({
      NoncurrentVersionExpiration: { NoncurrentDays: 7 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      ExpiredObjectDeleteMarker: true,
    })
    // The worker deletes current objects: only it knows which snapshots are still needed.
    for (const rule of LifecycleConfiguration.Rules) expect(rule.ExpirationInDays).toBeUndefined()
  })

  it('creates the secret with the placeholder that the functions recognize', () => {
    expect(JSON.parse(only('AWS::SecretsManager::Secret').properties.SecretString)).toEqual({
      appKey: 'replace-me',
      appToken: 'replace-me',
    })
  })

  it('names the secret after the bucket, so that other stacks need no reference to it', () => {
    const { Name } = only('AWS::SecretsManager::Secret').properties
    expect(Name).toEqual({ 'Fn::Join': ['', [{ Ref: bucketNamed('Snapshots').id }, '/credentials']] })
  })

  it('has no other secret value in any template', () => {
    const templates = Object.values(bundle.templates).join()
    expect(templates.match(/SecretString|GenerateSecretString/g)).toEqual(['SecretString'])
    expect(templates).not.toContain('{{resolve:')
  })

  it('has the outputs of the contract', () => {
    expect(bundle.outputs).toMatchObject({
      'LongshoreStorage.SnapshotBucketName': { Ref: bucketNamed('Snapshots').id },
      'LongshoreStorage.StateTableName': { Ref: only('AWS::DynamoDB::Table').id },
      'LongshoreStorage.CredentialsSecretArn': {
        'Fn::GetAtt': [only('AWS::SecretsManager::Secret').id, 'Id'],
      },
    })
  })
})

it('the shared secret stays when every area has its own, so that its name is not in the way when an area uses it again', () => {
  const own = synthesize({ credentials: { logistics: 'a', subscriptions: 'b', documents: 'c' } })
  expect(own.only('AWS::SecretsManager::Secret').properties).toEqual(
    only('AWS::SecretsManager::Secret').properties,
  )
  expect(own.outputs).not.toHaveProperty(['LongshoreStorage.CredentialsSecretArn'])
})
