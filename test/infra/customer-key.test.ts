import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'

let withoutKey: Bundle
let withKey: Bundle
beforeAll(() => {
  const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]
  withoutKey = synthesize({ entities })
  withKey = synthesize({ entities, encryptionKeyArn: key })
})

/** The property that names the key, by resource type. */
const keyProperties = [
  { type: 'AWS::DynamoDB::Table', keyOf: 'SSESpecification.KMSMasterKeyId' },
  { type: 'AWS::SecretsManager::Secret', keyOf: 'KmsKeyId' },
  { type: 'AWS::Logs::LogGroup', keyOf: 'KmsKeyId' },
  { type: 'AWS::SQS::Queue', keyOf: 'KmsMasterKeyId' },
  { type: 'AWS::SNS::Topic', keyOf: 'KmsMasterKeyId' },
]

const previous = 'arn:aws:kms:eu-west-1:123456789012:key/abcd1234-12ab-34cd-56ef-1234567890ab'

it.each([
  ['after the key was changed', { encryptionKeyArn: key }],
  ['after the key was removed', {}],
])('previous keys may only be used to decrypt, by every role that reads, %s', (_, current) => {
  const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]
  const bundle = synthesize({ entities, ...current, previousEncryptionKeyArns: [previous] })
  const statements = permissions(bundle).filter(({ resources }) => resources.includes(previous))
  for (const { actions, resources, condition } of statements) {
    expect([actions, resources]).toEqual([['kms:Decrypt'], [previous]])
    expect(JSON.stringify(condition)).toContain('kms:ViaService')
  }
  const rolesOf = (service: string) =>
    statements
      .filter(({ condition }) => JSON.stringify(condition).includes(`"${service}.`))
      .map(({ policy }) => policy.replace(/Role.*/, ''))
  const ofBucket = ['Publisher', 'Worker', 'Compare', 'Tables', 'SyncApi', 'Freshness']
  expect(new Set(rolesOf('s3'))).toEqual(new Set(ofBucket))
  const ofTable = ['Publisher', 'Worker', 'SyncApi', 'Proxy', 'Freshness']
  expect(rolesOf('dynamodb')).toEqual(expect.arrayContaining(ofTable))
  expect(new Set(rolesOf('secretsmanager'))).toEqual(new Set(['Worker', 'Proxy']))
})

it('without a customer managed key no template mentions KMS', () =>
  expect(Object.values(withoutKey.templates).join()).not.toMatch(/kms/i))

describe('with a customer managed key', () => {
  it.each(keyProperties)('every $type is encrypted with it', ({ type, keyOf }) => {
    const resources = withKey.of(type)
    expect(resources.length).toBeGreaterThan(0)
    for (const { properties } of resources) expect(properties).toHaveProperty(keyOf, key)
  })

  it('the snapshots are encrypted with it, through a bucket key', () => {
    const bucket = withKey.of('AWS::S3::Bucket').find(({ id }) => id.startsWith('Snapshots'))
    expect(bucket?.properties.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
      {
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key },
      },
    ])
  })

  it('the access log is not encrypted with it, since S3 would not deliver it', () => {
    const bucket = withKey.of('AWS::S3::Bucket').find(({ id }) => id.startsWith('AccessLog'))
    expect(JSON.stringify(bucket?.properties.BucketEncryption)).toContain('AES256')
  })

  const uses = () =>
    permissions(withKey).filter(({ actions }) => actions.some((action) => action.startsWith('kms:')))
  const actionsOf = (start: string, service: string) =>
    uses()
      .filter(
        ({ policy, condition }) =>
          policy.startsWith(start) && JSON.stringify(condition).includes(`"${service}.`),
      )
      .flatMap(({ actions }) => actions)
      .map((action) => action.slice('kms:'.length))
      .toSorted()

  it('roles may use only this key, each statement through one service', () => {
    expect(uses().length).toBeGreaterThanOrEqual(6)
    for (const { resources, condition, actions } of uses()) {
      expect(resources).toEqual([key])
      expect(actions.filter((action) => action.includes('*'))).toEqual([])
      expect(Object.keys((condition as { StringEquals: object }).StringEquals)).toEqual(['kms:ViaService'])
    }
  })

  const writesItems = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey']
  it.each([
    { role: 'WorkerRole', service: 's3', may: ['Decrypt', 'GenerateDataKey'] },
    { role: 'WorkerRole', service: 'dynamodb', may: writesItems },
    { role: 'WorkerRole', service: 'secretsmanager', may: ['Decrypt'] },
    { role: 'PublisherRole', service: 's3', may: ['Decrypt', 'GenerateDataKey'] },
    { role: 'PublisherRole', service: 'dynamodb', may: ['Decrypt', 'DescribeKey'] },
    { role: 'CompareRole', service: 's3', may: ['Decrypt', 'GenerateDataKey'] },
    { role: 'CompareRole', service: 'dynamodb', may: [] },
    { role: 'SyncApiRole', service: 's3', may: ['Decrypt'] },
    { role: 'SyncApiRole', service: 'secretsmanager', may: [] },
    { role: 'ProxyRole', service: 'dynamodb', may: writesItems },
    { role: 'ProxyRole', service: 's3', may: [] },
    { role: 'OpenApiRole', service: 'dynamodb', may: [] },
    { role: 'SchedulerRole', service: 'sqs', may: ['Decrypt', 'GenerateDataKey'] },
  ])('$role may $may through $service', ({ role, service, may }) => {
    expect([...new Set(actionsOf(role, service))]).toEqual(may)
  })
})
