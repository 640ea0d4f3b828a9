import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { retentionSchema } from '../../../lib/config/log-retention.ts'
import { deploymentRegion } from '../../../lib/deployment-region.ts'
import {
  idsOf,
  itNames,
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
const anyToken = 'value that is known only at deployment (a CDK token)'
const tokenMessage = 'is known only at deployment (a CDK token); write it as'

describe('resolveConfig names each error and a correct value', () => {
  itNames(withUpstream, 'upstream.', [
    [{ baseUrl: `https://${token}` }, `baseUrl: ${tokenMessage} text: an https URL`],
  ])

  itNames(withEntity, 'entities[0].', [
    [{ name: token }, `name: ${tokenMessage} text: the name of an entity`],
    [{ query: { _where: ['a=1', `b=${token}`] } }, `query._where[1]: ${tokenMessage} text`],
    [{ query: { [token]: 'x' } }, `query[a ${anyToken}]: is not the name of a parameter`],
  ])

  itNames(withKeys, '', [
    [
      { credentials: { documents: token } },
      `credentials.documents: ${tokenMessage} text: the name or ARN of a secret in Secrets Manager`,
    ],
    [{ logRetentionDays: -1.888154589708e289 }, `logRetentionDays: ${tokenMessage} a number: a`],
    [{ athena: token }, `athena: a ${anyToken} is not true or false`],
    [{ tags: { [token]: 'x' } }, `tags[a ${anyToken}]: has a character that AWS does not accept`],
    [{ tags: ['team'] }, "tags: a list is not an object of tags, such as { team: 'shop' }"],
    [{ tags: { team: 5 } }, 'tags.team: 5 is not a string'],
    [{ tags: { team: '' } }, 'tags.team: is empty, which CloudFormation refuses'],
    [
      { tags: { team: 'x'.repeat(257) } },
      'tags.team: has 257 characters; the value of a tag has at most 256',
    ],
    [{ tags: { team: 'a;b' } }, "tags.team: 'a;b' has a character that AWS does not accept in a tag"],
    [{ tags: { '': 'x' } }, "tags['']: is not the name of a tag; use 1 to 128 characters"],
    [{ tags: { 'aws:team': 'x' } }, "tags['aws:team']: begins with 'aws:', which AWS reserves"],
    [{ tags: { 'AWS:team': 'x' } }, "tags['AWS:team']: begins with 'aws:', which AWS reserves"],
    [{ tags: { 'a,b': 'x' } }, "tags['a,b']: has a character that AWS does not accept in a tag"],
    [{ tags: { ['n'.repeat(129)]: 'x' } }, `tags.${'n'.repeat(129)}: has 129 characters; the name`],
    [{ tags: { team: 'x', Team: 'y' } }, "tags.Team: differs from 'team' only in case, which IAM refuses"],
    [{ tags: tagsOf(51) }, 'tags: has 51 tags; a resource has at most 50'],
    [
      { alerts: { type: 'slack', url: 'a' } },
      "alerts: an object is not a list of alerts, such as [{ type: 'slack', url: 'longshore/slack' }]",
    ],
    [{ alerts: ['slack'] }, "alerts[0]: 'slack' is not an object with type, url, notes"],
    [
      { alerts: [alert, { type: 'teams', url: alert.url }] },
      'alerts[1].url: is also the secret of alerts[0]; use a secret of its own, or remove one of the two',
    ],
    [
      { alerts: Array.from({ length: 11 }, (_, index) => ({ ...alert, url: `a${index}` })) },
      'alerts: has 11 items; problems are reported to at most 10 receivers',
    ],
    ...(
      [
        [45, '; the nearest are 30 and 60'],
        [0, '; the nearest is 1'],
        [5000, '; the nearest is 3653'],
        [30.5, '; the nearest are 30 and 60'],
        [Number.NaN, ', such as 30'],
      ] as const
    ).map(([days, fix]): [object, string] => [
      { logRetentionDays: days },
      `logRetentionDays: ${days} is not a number of days that CloudWatch Logs offers${fix}`,
    ]),
    [
      { logRetentionDays: '30' },
      "logRetentionDays: '30' is not a number of days that CloudWatch Logs offers",
    ],
    [
      { network: network.subnetIds },
      'network: a list is not an object with functions, vpcId, subnetIds, securityGroupIds',
    ],
    [
      { network: { subnetIds: network.subnetIds } },
      "network.vpcId: is missing; it must be the id of a VPC, such as 'vpc-0123456789abcdef0'",
    ],
    [{ network: { vpcId: network.vpcId } }, 'network.subnetIds: is missing; it must be a list of subnet ids'],
    [{ maxConcurrentSyncs: 0 }, 'maxConcurrentSyncs: 0 is not a whole number from 1 to 10'],
    [{ maxConcurrentSyncs: 11 }, 'maxConcurrentSyncs: 11 is not a whole number from 1 to 10'],
    [{ validation: 'shape' }, "validation: 'shape' is not 'strict' or 'structure'"],
    [{ validation: true }, "validation: true is not 'strict' or 'structure'"],
    [{ maxConcurrentScrolls: 0 }, 'maxConcurrentScrolls: 0 is not a whole number from 1 to 10'],
    [{ maxConcurrentScrolls: 11 }, 'maxConcurrentScrolls: 11 is not a whole number from 1 to 10'],
    [{ maxConcurrentCalls: 0 }, 'maxConcurrentCalls: 0 is not a whole number from 1 to 10000'],
    [{ athena: 'no' }, "athena: 'no' is not true or false"],
    [{ stepSeconds: 9 }, 'stepSeconds: 9 is not a whole number from 10 to 840'],
    [{ stepSeconds: 841 }, 'stepSeconds: 841 is not a whole number from 10 to 840'],
    [
      {
        network: { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-01234567'], functions: 'some' },
      },
      "network.functions: 'some' is not 'upstream' or 'all'",
    ],
    [
      { encryptionKeyArn: keyArn, previousEncryptionKeyArns: [keyArn] },
      'previousEncryptionKeyArns[0]: is the key in encryptionKeyArn; remove it from the list',
    ],
    [
      { previousEncryptionKeyArns: [keyArn, keyArn] },
      "previousEncryptionKeyArns[1]: 'arn:aws:kms:eu-west-1:",
    ],
    [
      { previousEncryptionKeyArns: ['alias/shop'] },
      "previousEncryptionKeyArns[0]: 'alias/shop' is not the ARN",
    ],
    [{ tracing: 'yes' }, "tracing: 'yes' is not true or false"],
    [
      { domain: { ...domain, mutualTls: { truststoreUri: 's3://shop/callers.pem' } } },
      "domain.mutualTls: needs 'only: true'",
    ],
    [
      {
        domain: { ...domain, only: true, mutualTls: { truststoreUri: 'https://shop/callers.pem' } },
      },
      "domain.mutualTls.truststoreUri: 'https://shop/callers.pem' is not the S3 URI of a PEM file",
    ],
    [
      { encryptionKeyArn: 'alias/shop' },
      "encryptionKeyArn: 'alias/shop' is not the ARN of a KMS key, such as 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'",
    ],
    [
      { permissionsBoundary: 'arn:aws:iam::123456789012:role/shop' },
      "permissionsBoundary: 'arn:aws:iam::123456789012:role/shop' is not the name or ARN of an IAM managed policy",
    ],
    [{ alarmEmail: 'operations' }, "alarmEmail: 'operations' is not an email address"],
    [
      { alarmEmail: 'a@b.example, c@d.example' },
      "alarmEmail: 'a@b.example, c@d.example' is not an email address",
    ],
  ])

  itNames(withAlert, 'alerts[0].', [
    [{ url: token }, `url: ${tokenMessage} text: the name or ARN of a secret`],
    [{ type: 'email' }, "type: 'email' is not 'slack', 'teams' or 'webhook'"],
    [{ type: undefined }, "type: is missing; it must be 'slack', 'teams' or 'webhook'"],
    [{ url: undefined }, 'url: is missing; it must be the name or ARN of a secret that contains the address'],
    [{ url: '' }, 'url: is not the name or ARN of a secret in Secrets Manager'],
    ...[
      'https://hooks.slack.com/services/T0/B0/x',
      ' HTTP://127.0.0.1/x',
      'hooks.slack.com/services/T0/B0/x',
      'prod-12.westeurope.logic.azure.com:443/workflows/x',
    ].map((url): [object, string] => [
      { url },
      'url: is an address. Whoever has it can send messages, and here it would be readable in the code and the templates; store it in a secret of Secrets Manager, and use the name or ARN of that secret',
    ]),
    [{ notes: 'yes' }, "notes: 'yes' is not true or false"],
    [{ note: true }, "note: unknown key. Did you mean 'notes'?"],
  ])

  itNames(withNetwork, 'network.', [
    [
      { vpcId: 'subnet-0123456789abcdef0' },
      "vpcId: 'subnet-0123456789abcdef0' is not the id of a VPC, such as 'vpc-0123456789abcdef0'",
    ],
    [{ vpcId: 'vpc-123' }, "vpcId: 'vpc-123' is not the id of a VPC"],
    [
      { subnetIds: [] },
      'subnetIds: is empty; add a private subnet, or better two in different availability zones',
    ],
    [
      { subnetIds: 'subnet-0123456789abcdef0' },
      "subnetIds: 'subnet-0123456789abcdef0' is not a list of subnet ids",
    ],
    [
      { subnetIds: ['vpc-0123456789abcdef0'] },
      "subnetIds[0]: 'vpc-0123456789abcdef0' is not the id of a subnet, such as 'subnet-0123456789abcdef0'",
    ],
    [
      { subnetIds: ['subnet-0a1b2c3d', 'subnet-0a1b2c3d'] },
      "subnetIds[1]: 'subnet-0a1b2c3d' is already in the list; remove it",
    ],
    [{ subnetIds: idsOf('subnet', 17) }, 'subnetIds: has 17 items; a function can use at most 16'],
    [
      { securityGroupIds: [] },
      "securityGroupIds: is empty; add a security group, or omit 'securityGroupIds' to have one created",
    ],
    [
      { securityGroupIds: ['default'] },
      "securityGroupIds[0]: 'default' is not the id of a security group, such as 'sg-0123456789abcdef0'",
    ],
    [{ securityGroupIds: idsOf('sg', 6) }, 'securityGroupIds: has 6 items; a function has at most 5'],
  ])

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
