import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, permissions, synthesise } from './synthesise.ts'

const key = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'

let ours: Bundle
let theirs: Bundle
beforeAll(() => {
  const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]
  ours = synthesise({ entities })
  theirs = synthesise({ entities, encryptionKeyArn: key })
})

/** Where each kind of resource names its key. */
const placesOfKey = [
  { type: 'AWS::DynamoDB::Table', keyOf: 'SSESpecification.KMSMasterKeyId' },
  { type: 'AWS::SecretsManager::Secret', keyOf: 'KmsKeyId' },
  { type: 'AWS::Logs::LogGroup', keyOf: 'KmsKeyId' },
  { type: 'AWS::SQS::Queue', keyOf: 'KmsMasterKeyId' },
  { type: 'AWS::SNS::Topic', keyOf: 'KmsMasterKeyId' },
]

describe('without a key of the owner’s', () => {
  it('no resource names a key and no role may use one', () => {
    expect(Object.values(ours.templates).join()).not.toMatch(/kms/i)
  })
})

describe('with a key of the owner’s', () => {
  it.each(placesOfKey)('every $type is encrypted with it', ({ type, keyOf }) => {
    const resources = theirs.of(type)
    expect(resources.length).toBeGreaterThan(0)
    for (const { properties } of resources) expect(properties).toHaveProperty(keyOf, key)
  })

  it('the snapshots are encrypted with it, and S3 asks for it once for many pages', () => {
    const bucket = theirs.of('AWS::S3::Bucket').find(({ id }) => id.startsWith('Snapshots'))
    expect(bucket?.properties.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
      {
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key },
      },
    ])
  })

  it('the log of accesses is not: S3 delivers none to a bucket with such a key', () => {
    const bucket = theirs.of('AWS::S3::Bucket').find(({ id }) => id.startsWith('AccessLog'))
    expect(JSON.stringify(bucket?.properties.BucketEncryption)).toContain('AES256')
  })

  const uses = () =>
    permissions(theirs).filter(({ actions }) => actions.some((action) => action.startsWith('kms:')))
  const actionsOf = (start: string, service: string) =>
    uses()
      .filter(
        ({ policy, condition }) =>
          policy.startsWith(start) && JSON.stringify(condition).includes(`"${service}.`),
      )
      .flatMap(({ actions }) => actions)
      .map((action) => action.slice('kms:'.length))
      .toSorted()

  it('roles may use it, and no other, by way of one service each', () => {
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
    { role: 'SyncApiRole', service: 's3', may: ['Decrypt'] },
    { role: 'SyncApiRole', service: 'secretsmanager', may: [] },
    { role: 'ProxyRole', service: 'dynamodb', may: writesItems },
    { role: 'ProxyRole', service: 's3', may: [] },
    { role: 'DescriptionRole', service: 'dynamodb', may: [] },
    { role: 'SchedulerRole', service: 'sqs', may: ['Decrypt', 'GenerateDataKey'] },
  ])('$role may $may by way of $service', ({ role, service, may }) => {
    expect([...new Set(actionsOf(role, service))]).toEqual(may)
  })
})
