import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { retentionSchema } from '../../../lib/config/log-retention.ts'
import { deploymentRegion } from '../../../lib/deployment-region.ts'
import {
  beginningsOf,
  errorsIn,
  idsOf,
  network,
  tagsOf,
  withEntity,
  withKeys,
  withNetwork,
  withUpstream,
} from './configurations.ts'

const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const domain = {
  name: 'longshore.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd-12ab-34cd-56ef-1234567890ab',
}

const alert = { type: 'slack', url: 'longshore/slack' }
const withAlert = (keys: object) => withKeys({ alerts: [{ ...alert, ...keys }] })

const token = '\u0024{Token[TOKEN.12]}'
const tokenMessage = 'is known only at deployment (a CDK token); write it as'

describe('resolveConfig names each error and a correct value', () => {
  it.each<[unknown, string]>([
    // tokens
    [withUpstream({ baseUrl: `https://${token}` }), `upstream.baseUrl: ${tokenMessage} text: an https URL`],
    [withEntity({ name: token }), `entities[0].name: ${tokenMessage} text: the name of an entity`],
    [
      withKeys({ auth: { type: 'jwt', issuer: `https://${token}/pool`, audience: ['a'] } }),
      `auth.issuer: ${tokenMessage} text: the https URL of the token issuer`,
    ],
    [
      withKeys({ credentials: { documents: token } }),
      `credentials.documents: ${tokenMessage} text: the name or ARN of a secret in Secrets Manager`,
    ],
    [withAlert({ url: token }), `alerts[0].url: ${tokenMessage} text: the name or ARN of a secret`],
    [withKeys({ logRetentionDays: -1.888154589708e289 }), `logRetentionDays: ${tokenMessage} a number: a`],
    // tags
    [withKeys({ tags: ['team'] }), "tags: a list is not an object of tags, such as { team: 'shop' }"],
    [withKeys({ tags: { team: 5 } }), 'tags.team: 5 is not a string'],
    [withKeys({ tags: { team: '' } }), 'tags.team: is empty, which CloudFormation refuses'],
    [
      withKeys({ tags: { team: 'x'.repeat(257) } }),
      'tags.team: has 257 characters; the value of a tag has at most 256',
    ],
    [
      withKeys({ tags: { team: 'a;b' } }),
      "tags.team: 'a;b' has a character that AWS does not accept in a tag",
    ],
    [withKeys({ tags: { '': 'x' } }), "tags['']: is not the name of a tag; use 1 to 128 characters"],
    [withKeys({ tags: { 'aws:team': 'x' } }), "tags['aws:team']: begins with 'aws:', which AWS reserves"],
    [withKeys({ tags: { 'AWS:team': 'x' } }), "tags['AWS:team']: begins with 'aws:', which AWS reserves"],
    [withKeys({ tags: { 'a,b': 'x' } }), "tags['a,b']: has a character that AWS does not accept in a tag"],
    [withKeys({ tags: { ['n'.repeat(129)]: 'x' } }), `tags.${'n'.repeat(129)}: has 129 characters; the name`],
    [
      withKeys({ tags: { team: 'x', Team: 'y' } }),
      "tags.Team: differs from 'team' only in case, which IAM refuses",
    ],
    [withKeys({ tags: tagsOf(51) }), 'tags: has 51 tags; a resource has at most 50'],
    // alerts
    [
      withKeys({ alerts: { type: 'slack', url: 'a' } }),
      "alerts: an object is not a list of alerts, such as [{ type: 'slack', url: 'longshore/slack' }]",
    ],
    [withKeys({ alerts: ['slack'] }), "alerts[0]: 'slack' is not an object with type, url, notes"],
    [withAlert({ type: 'email' }), "alerts[0].type: 'email' is not 'slack', 'teams' or 'webhook'"],
    [withAlert({ type: undefined }), "alerts[0].type: is missing; it must be 'slack', 'teams' or 'webhook'"],
    [
      withAlert({ url: undefined }),
      'alerts[0].url: is missing; it must be the name or ARN of a secret that contains the address',
    ],
    [withAlert({ url: '' }), 'alerts[0].url: is not the name or ARN of a secret in Secrets Manager'],
    ...[
      'https://hooks.slack.com/services/T0/B0/x',
      ' HTTP://127.0.0.1/x',
      'hooks.slack.com/services/T0/B0/x',
      'prod-12.westeurope.logic.azure.com:443/workflows/x',
    ].map((url): [unknown, string] => [
      withAlert({ url }),
      'alerts[0].url: is an address. Whoever has it can send messages, and here it would be readable in the code and the templates; store it in a secret of Secrets Manager, and use the name or ARN of that secret',
    ]),
    [withAlert({ notes: 'yes' }), "alerts[0].notes: 'yes' is not true or false"],
    [withAlert({ note: true }), "alerts[0].note: unknown key. Did you mean 'notes'?"],
    [
      withKeys({ alerts: [alert, { type: 'teams', url: alert.url }] }),
      'alerts[1].url: is also the secret of alerts[0]; use a secret of its own, or remove one of the two',
    ],
    [
      withKeys({ alerts: Array.from({ length: 11 }, (_, index) => ({ ...alert, url: `a${index}` })) }),
      'alerts: has 11 items; problems are reported to at most 10 receivers',
    ],
    // logRetentionDays
    [
      withKeys({ logRetentionDays: 45 }),
      'logRetentionDays: 45 is not a number of days that CloudWatch Logs offers; the nearest are 30 and 60',
    ],
    [
      withKeys({ logRetentionDays: 0 }),
      'logRetentionDays: 0 is not a number of days that CloudWatch Logs offers; the nearest is 1',
    ],
    [
      withKeys({ logRetentionDays: 5000 }),
      'logRetentionDays: 5000 is not a number of days that CloudWatch Logs offers; the nearest is 3653',
    ],
    [
      withKeys({ logRetentionDays: 30.5 }),
      'logRetentionDays: 30.5 is not a number of days that CloudWatch Logs offers; the nearest are 30 and 60',
    ],
    [
      withKeys({ logRetentionDays: Number.NaN }),
      'logRetentionDays: NaN is not a number of days that CloudWatch Logs offers, such as 30',
    ],
    [
      withKeys({ logRetentionDays: '30' }),
      "logRetentionDays: '30' is not a number of days that CloudWatch Logs offers",
    ],
    // network
    [
      withKeys({ network: network.subnetIds }),
      'network: a list is not an object with functions, vpcId, subnetIds, securityGroupIds',
    ],
    [
      withKeys({ network: { subnetIds: network.subnetIds } }),
      "network.vpcId: is missing; it must be the id of a VPC, such as 'vpc-0123456789abcdef0'",
    ],
    [
      withKeys({ network: { vpcId: network.vpcId } }),
      'network.subnetIds: is missing; it must be a list of subnet ids',
    ],
    [
      withNetwork({ vpcId: 'subnet-0123456789abcdef0' }),
      "network.vpcId: 'subnet-0123456789abcdef0' is not the id of a VPC, such as 'vpc-0123456789abcdef0'",
    ],
    [withNetwork({ vpcId: 'vpc-123' }), "network.vpcId: 'vpc-123' is not the id of a VPC"],
    [
      withNetwork({ subnetIds: [] }),
      'network.subnetIds: is empty; add a private subnet, or better two in different availability zones',
    ],
    [
      withNetwork({ subnetIds: 'subnet-0123456789abcdef0' }),
      "network.subnetIds: 'subnet-0123456789abcdef0' is not a list of subnet ids",
    ],
    [
      withNetwork({ subnetIds: ['vpc-0123456789abcdef0'] }),
      "network.subnetIds[0]: 'vpc-0123456789abcdef0' is not the id of a subnet, such as 'subnet-0123456789abcdef0'",
    ],
    [
      withNetwork({ subnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3d'] }),
      "network.subnetIds[1]: 'subnet-0a1b2c3d' is already in the list; remove it",
    ],
    [
      withNetwork({ subnetIds: idsOf('subnet', 17) }),
      'network.subnetIds: has 17 items; a function can use at most 16',
    ],
    [
      withNetwork({ securityGroupIds: [] }),
      "network.securityGroupIds: is empty; add a security group, or omit 'securityGroupIds' to have one created",
    ],
    [
      withNetwork({ securityGroupIds: ['default'] }),
      "network.securityGroupIds[0]: 'default' is not the id of a security group, such as 'sg-0123456789abcdef0'",
    ],
    [
      withNetwork({ securityGroupIds: idsOf('sg', 6) }),
      'network.securityGroupIds: has 6 items; a function has at most 5',
    ],
    // other keys of the first level
    [withKeys({ maxConcurrentSyncs: 0 }), 'maxConcurrentSyncs: 0 is not a whole number from 1 to 10'],
    [withKeys({ maxConcurrentSyncs: 11 }), 'maxConcurrentSyncs: 11 is not a whole number from 1 to 10'],
    [withKeys({ validation: 'shape' }), "validation: 'shape' is not 'strict' or 'structure'"],
    [withKeys({ validation: true }), "validation: true is not 'strict' or 'structure'"],
    [withKeys({ maxConcurrentScrolls: 0 }), 'maxConcurrentScrolls: 0 is not a whole number from 1 to 10'],
    [withKeys({ maxConcurrentScrolls: 11 }), 'maxConcurrentScrolls: 11 is not a whole number from 1 to 10'],
    [withKeys({ maxConcurrentCalls: 0 }), 'maxConcurrentCalls: 0 is not a whole number from 1 to 10000'],
    [withKeys({ athena: 'no' }), "athena: 'no' is not true or false"],
    [withKeys({ stepSeconds: 9 }), 'stepSeconds: 9 is not a whole number from 10 to 840'],
    [withKeys({ stepSeconds: 841 }), 'stepSeconds: 841 is not a whole number from 10 to 840'],
    [
      withKeys({
        network: { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-01234567'], functions: 'some' },
      }),
      "network.functions: 'some' is not 'upstream' or 'all'",
    ],
    [
      withKeys({ encryptionKeyArn: keyArn, previousEncryptionKeyArns: [keyArn] }),
      'previousEncryptionKeyArns[0]: is the key in encryptionKeyArn; remove it from the list',
    ],
    [
      withKeys({ previousEncryptionKeyArns: [keyArn, keyArn] }),
      "previousEncryptionKeyArns[1]: 'arn:aws:kms:eu-west-1:",
    ],
    [
      withKeys({ previousEncryptionKeyArns: ['alias/shop'] }),
      "previousEncryptionKeyArns[0]: 'alias/shop' is not the ARN",
    ],
    [withKeys({ tracing: 'yes' }), "tracing: 'yes' is not true or false"],
    [
      withKeys({ domain: { ...domain, mutualTls: { truststoreUri: 's3://shop/callers.pem' } } }),
      "domain.mutualTls: needs 'only: true'",
    ],
    [
      withKeys({
        domain: { ...domain, only: true, mutualTls: { truststoreUri: 'https://shop/callers.pem' } },
      }),
      "domain.mutualTls.truststoreUri: 'https://shop/callers.pem' is not the S3 URI of a PEM file",
    ],
    [
      withKeys({ encryptionKeyArn: 'alias/shop' }),
      "encryptionKeyArn: 'alias/shop' is not the ARN of a KMS key, such as 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'",
    ],
    [
      withKeys({ permissionsBoundary: 'arn:aws:iam::123456789012:role/shop' }),
      "permissionsBoundary: 'arn:aws:iam::123456789012:role/shop' is not the name or ARN of an IAM managed policy",
    ],
    [withKeys({ alarmEmail: 'operations' }), "alarmEmail: 'operations' is not an email address"],
    [
      withKeys({ alarmEmail: 'a@b.example, c@d.example' }),
      "alarmEmail: 'a@b.example, c@d.example' is not an email address",
    ],
  ])('%j: %s', (input, error) => expect(beginningsOf(errorsIn(input), error)).toEqual([error]))

  it.each([
    [
      'of a profile or role',
      { CDK_DEFAULT_ACCOUNT: '123456789012', CDK_DEFAULT_REGION: 'eu-west-1' },
      'eu-west-1',
    ],
    ['of the environment', { AWS_REGION: 'eu-west-1', CDK_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-1'],
    ['that the CDK falls back to', { CDK_DEFAULT_REGION: 'us-east-1' }, undefined],
    ['without the CDK', {}, undefined],
  ])('knows the region of the deployment: %s', (_what, variables, expected) => {
    expect(deploymentRegion(variables)).toBe(expected)
  })

  it('offers the retention of logs that the CDK knows', () => {
    const known = Object.values(RetentionDays).filter((days) => typeof days === 'number')
    const offered = Array.from({ length: 4000 }, (_each, days) => days).filter((days) =>
      v.is(retentionSchema, days),
    )
    expect(offered).toEqual(known.filter((days) => days !== RetentionDays.INFINITE))
  })
})
