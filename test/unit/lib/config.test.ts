import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { describe, expect, it } from 'vitest'
import { retentionDays } from '../../../lib/config/log-retention.ts'
import { ConfigurationError, defineConfig, resolveConfig, settingsOf } from '../../../lib/config.ts'
import { deploymentRegion } from '../../../lib/deployment-region.ts'
import { entityNamed } from '../../entity-named.ts'

const upstream = { baseUrl: 'https://shop.example.com' }
const entity = { name: 'CL', schedule: 'rate(6 hours)' }
const keyId = '1234abcd-12ab-34cd-56ef-1234567890ab'

/** A correct configuration except for these keys. */
const withKeys = (keys: object): object => ({ upstream, ...keys })
const withEntity = (keys: object): object => withKeys({ entities: [{ ...entity, ...keys }] })
const certificateArn = `arn:aws:acm:eu-west-1:123456789012:certificate/${keyId}`
const withDomain = (keys: object): object =>
  withKeys({ domain: { name: 'longshore.example.com', certificateArn, ...keys } })
const network = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
}
const withNetwork = (keys: object): object => withKeys({ network: { ...network, ...keys } })
const idsOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(8, '0')}`)
const role = 'arn:aws:iam::210987654321:role/reports'
const withReader = (keys: object): object => withKeys({ entities: [entity], readers: [{ role, ...keys }] })
const readersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ role: `${role}-${index}`, entities: ['CL'] }))
const tagsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x']))
const withUpstream = (keys: object): object => ({ upstream: { ...upstream, ...keys } })

function mistakesIn(input: unknown, region?: string): readonly string[] {
  try {
    resolveConfig(input, 'The configuration', region)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes
    throw error
  }
  return []
}

describe('defaults', () => {
  it('fill in every key that is omitted', () => {
    expect(resolveConfig(defineConfig({ upstream, entities: [entity] }))).toEqual({
      name: 'Longshore',
      upstream: {
        baseUrl: 'https://shop.example.com',
        headerPrefix: 'X-SVC',
        searchPath: '/api/dataentities/{data_entity}/search',
        timeoutSeconds: 25,
      },
      credentials: {},
      auth: { type: 'iam' },
      cors: [],
      throttle: { ratePerSecond: 50, burst: 100 },
      validation: 'strict',
      athena: true,
      entities: [entityNamed('CL', { schedule: 'rate(6 hours)' })],
      maxConcurrentSyncs: 5,
      maxConcurrentScrolls: 8,
      stepSeconds: 780,
      tags: {},
      logRetentionDays: 30,
      readers: [],
    })
  })

  it('apply to keys that are undefined', () => {
    expect(
      resolveConfig(withKeys({ name: undefined, stepSeconds: undefined, alarmEmail: undefined })),
    ).toEqual(expect.objectContaining({ name: 'Longshore', stepSeconds: 780 }))
  })

  it('of the deployment are not part of the functions’ settings', () => {
    const settings = settingsOf(resolveConfig(withKeys({ alarmEmail: 'a@example.com', credentials: {} })))
    expect(Object.keys(settings).sort()).toEqual(
      [
        'auth',
        'entities',
        'maxConcurrentScrolls',
        'maxConcurrentSyncs',
        'name',
        'stepSeconds',
        'upstream',
        'validation',
      ].sort(),
    )
  })
})

describe('resolveConfig accepts', () => {
  it.each<[string, object]>([
    ['a loopback name over http', withUpstream({ baseUrl: 'http://localhost:8080' })],
    ['a loopback address over http', withUpstream({ baseUrl: 'http://127.9.0.1:8080' })],
    ['the loopback of IPv6 over http', withUpstream({ baseUrl: 'http://[::1]:8080' })],
    ['a port', withUpstream({ baseUrl: 'https://shop.example.com:8443' })],
    ['another prefix', withUpstream({ headerPrefix: 'X-VTEX' })],
    ['another search path', withUpstream({ searchPath: '/v2/{data_entity}/documents%20found' })],
    ['a fraction of a second', withUpstream({ timeoutSeconds: 1.5 })],
    ['an account', withUpstream({ account: 'my-shop2' })],
    ['the longest time limit', withUpstream({ timeoutSeconds: 28 })],
    ['the name of a secret', withKeys({ credentials: { documents: 'shop/longshore_documents' } })],
    [
      'the ARN of a secret',
      withKeys({
        credentials: {
          logistics: 'arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:a/b-Ab12Cd',
        },
      }),
    ],
    ['a schedule that runs every four years', withEntity({ schedule: 'cron(0 0 29 2 ? *)' })],
    ['a schedule that is over', withEntity({ schedule: 'cron(0 0 1 1 ? 2001)' })],
    ['a schedule in the far future', withEntity({ schedule: 'cron(0 0 1 1 ? 2199)' })],
    ['IAM', withKeys({ auth: { type: 'iam' } })],
    [
      'JWT',
      withKeys({ auth: { type: 'jwt', issuer: 'https://login.example.com/realm/', audience: ['a', 'b'] } }),
    ],
    [
      'JWT of a local issuer',
      withKeys({ auth: { type: 'jwt', issuer: 'http://127.0.0.1:99', audience: ['a'] } }),
    ],
    ['_fields with the id field', withEntity({ query: { _fields: ' city , id ' } })],
    ['_fields with all fields', withEntity({ query: { _fields: ['city', '_all'] } })],
    ['_fields with another id field', withEntity({ idField: 'userId', query: { _fields: ['a,userId'] } })],
    ['partitions', withEntity({ partitions: { by: 'createdIn', count: 2 } })],
    ['no change sets', withEntity({ changes: false })],
    [
      'rules for change sets',
      withEntity({ changes: { ignore: ['updatedIn'], maxDeletePercent: 0, keepDays: 1 } }),
    ],
    ['a limit of concurrent calls', withKeys({ maxConcurrentCalls: 1 })],
    ['no Athena', withKeys({ athena: false })],
    ['every origin', withKeys({ cors: ['*'] })],
    [
      'some origins',
      withKeys({ cors: ['https://app.example.com', 'http://localhost:3000', 'app://desktop'] }),
    ],
    ['less than one request per second', withKeys({ throttle: { ratePerSecond: 0.5, burst: 1 } })],
    ['validation of the structure only', withKeys({ validation: 'structure' })],
    ['the smallest number of syncs and seconds', withKeys({ maxConcurrentSyncs: 1, stepSeconds: 10 })],
    ['the largest number of syncs and seconds', withKeys({ maxConcurrentSyncs: 10, stepSeconds: 840 })],
    ['a key', withKeys({ encryptionKeyArn: `arn:aws:kms:eu-west-1:123456789012:key/${keyId}` })],
    [
      'a key of several regions',
      withKeys({
        encryptionKeyArn: `arn:aws-cn:kms:cn-north-1:123456789012:key/mrk-${keyId.replaceAll('-', '')}`,
      }),
    ],
    ['a boundary by name', withKeys({ permissionsBoundary: 'shop-boundary' })],
    ['a boundary by ARN', withKeys({ permissionsBoundary: 'arn:aws:iam::123456789012:policy/teams/shop' })],
    ['tags', withKeys({ tags: { team: 'shop', 'Kostenstelle Ä/1': 'a b:c=d+e-f@g_h.', constructor: 'x' } })],
    ['50 tags', withKeys({ tags: tagsOf(50) })],
    ['the longest tag', withKeys({ tags: { ['n'.repeat(128)]: 'v'.repeat(256) } })],
    ['the shortest retention of logs', withKeys({ logRetentionDays: 1 })],
    ['the longest retention of logs', withKeys({ logRetentionDays: 3653 })],
    ['a domain', withKeys({ domain: { name: 'longshore.shop.example.com', certificateArn } })],
    [
      'a domain in GovCloud',
      withKeys({
        domain: { name: 'a-1.example', certificateArn: certificateArn.replace('arn:aws', 'arn:aws-us-gov') },
      }),
    ],
    ['a network', withKeys({ network })],
    ['a network with one subnet', withKeys({ network: { ...network, subnetIds: ['subnet-0a1b2c3d'] } })],
    [
      'a network with its security groups',
      withKeys({ network: { ...network, securityGroupIds: ['sg-0123456789abcdef0', 'sg-0a1b2c3d'] } }),
    ],
    ['a reader of everything', withReader({})],
    [
      'a role with a path',
      withReader({ role: 'arn:aws-cn:iam::123456789012:role/teams/a+b=c,d.e@f-g/reports' }),
    ],
    [
      'a reader of some data of an entity',
      withReader({ entities: ['CL'], data: ['snapshots', 'changes', 'tables'] }),
    ],
    ['an email address', withKeys({ alarmEmail: 'shop.operations+alarms@mail.example.com' })],
    ['the smallest page', withEntity({ pageSize: 1 })],
    ['no tolerance and no shrinkage', withEntity({ totalTolerancePercent: 0, maxShrinkPercent: 0 })],
    ['a time zone', withEntity({ timezone: 'America/Sao_Paulo' })],
    ['letters, digits, _ and - in a name', withEntity({ name: 'My_entity-2' })],
    [
      'names that differ in case without Athena',
      withKeys({ athena: false, entities: [entity, { ...entity, name: 'cl' }] }),
    ],
  ])('%s', (_, input) => {
    expect(mistakesIn(input)).toEqual([])
  })
})

describe('resolveConfig names each mistake and a correct value', () => {
  const urlWithoutPath = "an https URL without a path, such as 'https://shop.example.com'"
  it.each<[unknown, string]>([
    // The configuration as a whole
    [undefined, 'the configuration: undefined is not an object with name, upstream, '],
    [null, 'the configuration: null is not an object with '],
    [[], 'the configuration: an empty list is not an object with '],
    ['Longshore', "the configuration: 'Longshore' is not an object with "],
    [() => ({}), 'the configuration: a function is not an object with '],
    [{}, 'upstream: is missing; it must be an object with baseUrl, '],
    [{ upstream: {} }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    [{ upstream: { baseUrl: undefined } }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    // Keys
    [withKeys({ entitys: [] }), "entitys: unknown key. Did you mean 'entities'?"],
    [withKeys({ stepseconds: 1 }), "stepseconds: unknown key. Did you mean 'stepSeconds'"],
    [withKeys({ region: 'x' }), 'region: unknown key. The keys here are name, upstream, '],
    [withUpstream({ baseURL: 'x' }), "upstream.baseURL: unknown key. Did you mean 'baseUrl'"],
    [withKeys({ throttle: { rate: 5 } }), "throttle.rate: unknown key. Did you mean 'ratePerSecond'"],
    [
      withKeys({ credentials: { document: 'x' } }),
      "credentials.document: unknown key. Did you mean 'documents'",
    ],
    [withKeys({ auth: { type: 'iam', audience: [] } }), 'auth.audience: unknown key. '],
    [withEntity({ pagesize: 5 }), "entities[0].pagesize: unknown key. Did you mean 'pageSize'"],
    // name
    [withKeys({ name: '1shop' }), "name: '1shop' is not a prefix of stack names"],
    [withKeys({ name: 'my_shop' }), "name: 'my_shop' is not a prefix of stack names"],
    [withKeys({ name: '' }), "name: '' is not a prefix of stack names"],
    [withKeys({ name: 'x'.repeat(119) }), `name: '${'x'.repeat(60)}…' is not a prefix of stack names`],
    // upstream
    [withKeys({ upstream: 'https://x' }), "upstream: 'https://x' is not an object with baseUrl"],
    [
      withUpstream({ baseUrl: 'shop.example.com' }),
      `upstream.baseUrl: 'shop.example.com' is not ${urlWithoutPath}`,
    ],
    [
      withUpstream({ baseUrl: 'ftp://shop.example.com' }),
      `upstream.baseUrl: 'ftp://shop.example.com' is not ${urlWithoutPath}`,
    ],
    [withUpstream({ baseUrl: 5 }), `upstream.baseUrl: 5 is not ${urlWithoutPath}`],
    [withUpstream({ baseUrl: 'https://a b' }), `upstream.baseUrl: 'https://a b' is not ${urlWithoutPath}`],
    [
      withUpstream({ baseUrl: 'https://shop.example.com/api' }),
      "upstream.baseUrl: 'https://shop.example.com/api' contains more than scheme, host and port; use 'https://shop.example.com'",
    ],
    [
      withUpstream({ baseUrl: 'https://shop.example.com?a=1' }),
      "upstream.baseUrl: 'https://shop.example.com?a=1' contains more than",
    ],
    [
      withUpstream({ baseUrl: 'https://shop.example.com/#' }),
      "upstream.baseUrl: 'https://shop.example.com/#' contains more than",
    ],
    [
      withUpstream({ baseUrl: 'http://shop.example.com' }),
      "upstream.baseUrl: 'http://shop.example.com' uses http, which only a loopback host may use; use https",
    ],
    [
      withUpstream({ baseUrl: 'http://localhost.example.com' }),
      "upstream.baseUrl: 'http://localhost.example.com' uses http",
    ],
    [
      withUpstream({ baseUrl: 'http://127.0.0.1.example.com' }),
      "upstream.baseUrl: 'http://127.0.0.1.example.com' uses http",
    ],
    [
      withUpstream({ headerPrefix: 'X SVC' }),
      "upstream.headerPrefix: 'X SVC' is not the prefix of a header name",
    ],
    [withUpstream({ headerPrefix: '' }), "upstream.headerPrefix: '' is not the prefix of a header name"],
    [
      withUpstream({ searchPath: 'search/{data_entity}' }),
      "upstream.searchPath: 'search/{data_entity}' must begin with exactly one /",
    ],
    [
      withUpstream({ searchPath: '//host/{data_entity}' }),
      "upstream.searchPath: '//host/{data_entity}' must begin with exactly one /",
    ],
    [
      withUpstream({ searchPath: '/search/{entity}' }),
      "upstream.searchPath: '/search/{entity}' does not contain {data_entity}",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}?a=1' }),
      "upstream.searchPath: '/{data_entity}?a=1' is not a path without a query",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}/../x' }),
      "upstream.searchPath: '/{data_entity}/../x' is not a path",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}/{id}' }),
      "upstream.searchPath: '/{data_entity}/{id}' is not a path",
    ],
    [withUpstream({ account: 'my shop' }), "upstream.account: 'my shop' is not the account's name"],
    [withUpstream({ account: '' }), "upstream.account: '' is not the account's name"],
    [withUpstream({ timeoutSeconds: 0.5 }), 'upstream.timeoutSeconds: 0.5 is not a number from 1 to 28'],
    [withUpstream({ timeoutSeconds: 29 }), 'upstream.timeoutSeconds: 29 is not a number from 1 to 28'],
    [withUpstream({ timeoutSeconds: '25' }), "upstream.timeoutSeconds: '25' is not a number from 1 to 28"],
    [
      withUpstream({ timeoutSeconds: Number.NaN }),
      'upstream.timeoutSeconds: NaN is not a number from 1 to 28',
    ],
    // credentials
    [
      withKeys({ credentials: 'shop' }),
      "credentials: 'shop' is not an object with logistics, subscriptions, documents",
    ],
    [
      withKeys({ credentials: { logistics: '' } }),
      'credentials.logistics: is not the name or ARN of a secret',
    ],
    [
      withKeys({ credentials: { logistics: 'arn:aws:s3:::x' } }),
      'credentials.logistics: is not the name or ARN of a secret',
    ],
    [
      withKeys({ credentials: { logistics: { appKey: 'k' } } }),
      'credentials.logistics: an object is not the name or ARN',
    ],
    // Keys that valibot ignores
    ...['constructor', 'prototype', '__proto__', 'toString'].map((key): [object, string] => [
      { upstream, ...JSON.parse(`{"${key}": 1}`) },
      `${key}: unknown key. The keys here are`,
    ]),
    [withEntity({ query: { constructor: {} } }), 'entities[0].query.constructor: an object is not a string'],
    [withEntity({ query: { a: ['b', null] } }), 'entities[0].query.a[1]: null is not a string'],

    // auth
    [
      withKeys({ auth: { issuer: 'https://x.example', audience: ['a'] } }),
      'auth.type: is missing; it must be',
    ],
    [
      withKeys({ auth: { type: 'oidc', issuer: 'https://x.example', audience: ['a'] } }),
      "auth.type: 'oidc' is not 'iam' or 'jwt'",
    ],
    [withKeys({ auth: 'iam' }), "auth: 'iam' is not an object with type"],
    [withKeys({ auth: {} }), "auth.type: is missing; it must be 'iam' or 'jwt'"],
    [withKeys({ auth: { type: 'none' } }), "auth.type: 'none' is not 'iam' or 'jwt'"],
    [
      withKeys({ auth: { type: 'jwt', audience: ['a'] } }),
      'auth.issuer: is missing; it must be the https URL of the token issuer',
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'https://x.example' } }),
      "auth.audience: is missing; it must be a list of strings, such as ['longshore']",
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'http://x.example', audience: ['a'] } }),
      "auth.issuer: 'http://x.example' uses http, which only a loopback host may use",
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'login', audience: ['a'] } }),
      "auth.issuer: 'login' is not an https URL",
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'https://x.example?a', audience: ['a'] } }),
      "auth.issuer: 'https://x.example?a' has a query",
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'https://x.example', audience: 'a' } }),
      "auth.audience: 'a' is not a list of strings",
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'https://x.example', audience: [] } }),
      'auth.audience: is empty, so no token would be accepted',
    ],
    [
      withKeys({ auth: { type: 'jwt', issuer: 'https://x.example', audience: ['a', ' '] } }),
      "auth.audience[1]: ' ' is not a non-empty string",
    ],
    // cors
    [withKeys({ cors: '*' }), "cors: '*' is not a list of origins"],
    [
      withKeys({ cors: ['https://a.example/'] }),
      "cors[0]: 'https://a.example/' is not an origin; use 'https://a.example'",
    ],
    [
      withKeys({ cors: ['https://a.example:443'] }),
      "cors[0]: 'https://a.example:443' is not an origin; use 'https://a.example'",
    ],
    [
      withKeys({ cors: ['*', 'a.example'] }),
      "cors[1]: 'a.example' is neither an origin, such as 'https://app.example.com', nor '*'",
    ],
    [withKeys({ cors: [5] }), 'cors[0]: 5 is not an origin'],
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
    // domain
    [withKeys({ domain: 'a.example' }), "domain: 'a.example' is not an object with name, certificateArn"],
    [
      withKeys({ domain: { name: 'a.example' } }),
      'domain.certificateArn: is missing; it must be the ARN of an ACM',
    ],
    [
      withKeys({ domain: { certificateArn } }),
      "domain.name: is missing; it must be a host name, such as 'longshore.example.com'",
    ],
    [
      withDomain({ name: 'longshore' }),
      "domain.name: 'longshore' is not a host name, such as 'longshore.example.com'",
    ],
    [withDomain({ name: '10.0.0.1' }), "domain.name: '10.0.0.1' is not a host name"],
    [withDomain({ name: 'a_b.example.com' }), "domain.name: 'a_b.example.com' is not a host name"],
    [withDomain({ name: '-a.example.com' }), "domain.name: '-a.example.com' is not a host name"],
    [withDomain({ name: '*.example.com' }), "domain.name: '*.example.com' is a wildcard; use one host name"],
    [
      withDomain({ name: 'https://a.example.com/v1' }),
      "domain.name: 'https://a.example.com/v1' must be written 'a.example.com'",
    ],
    [withDomain({ name: 'A.Example.com' }), "domain.name: 'A.Example.com' must be written 'a.example.com'"],
    [
      withDomain({ name: 'a.example.com:443' }),
      "domain.name: 'a.example.com:443' must be written 'a.example.com'",
    ],
    [withDomain({ name: 'a.example.com.' }), "domain.name: 'a.example.com.' must be written 'a.example.com'"],
    [
      withDomain({ certificateArn: 'arn:aws:iam::123456789012:server-certificate/a' }),
      "domain.certificateArn: 'arn:aws:iam::123456789012:server-certificate/a' is not the ARN of an ACM certificate, such as 'arn:aws:acm:",
    ],
    // network
    [
      withKeys({ network: network.subnetIds }),
      'network: a list is not an object with vpcId, subnetIds, securityGroupIds',
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
      'network.subnetIds: is empty; add a private subnet, better two in different availability zones',
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
      'network.subnetIds: has 17 items; a function is in at most 16',
    ],
    [
      withNetwork({ securityGroupIds: [] }),
      'network.securityGroupIds: is empty; add a security group, or leave it out to have one created',
    ],
    [
      withNetwork({ securityGroupIds: ['default'] }),
      "network.securityGroupIds[0]: 'default' is not the id of a security group, such as 'sg-0123456789abcdef0'",
    ],
    [
      withNetwork({ securityGroupIds: idsOf('sg', 6) }),
      'network.securityGroupIds: has 6 items; a function has at most 5',
    ],
    // readers
    [
      withKeys({ readers: role }),
      `readers: '${role}' is not a list of readers, such as [{ role: 'arn:aws:iam::`,
    ],
    [withKeys({ readers: [role] }), `readers[0]: '${role}' is not an object with role, entities, data`],
    [withKeys({ readers: [{}] }), 'readers[0].role: is missing; it must be the full ARN of a role'],
    [
      withReader({ role: 'reports' }),
      "readers[0].role: 'reports' is not the full ARN of a role, such as 'arn:aws:iam::123456789012:role/reports'",
    ],
    [withReader({ role: '*' }), "readers[0].role: '*' contains a wildcard; list each role by its full ARN"],
    [
      withReader({ role: 'arn:aws:iam::210987654321:role/*' }),
      "readers[0].role: 'arn:aws:iam::210987654321:role/*' contains a wildcard",
    ],
    [
      withReader({ role: 'arn:aws:iam::210987654321:role/report?' }),
      "readers[0].role: 'arn:aws:iam::210987654321:role/report?' contains a wildcard",
    ],
    [
      withReader({ role: 'arn:aws:iam::210987654321:root' }),
      "readers[0].role: 'arn:aws:iam::210987654321:root' is not the full ARN of a role",
    ],
    [
      withReader({ role: 'arn:aws:iam::210987654321:user/a' }),
      "readers[0].role: 'arn:aws:iam::210987654321:user/a' is not the full ARN of a role",
    ],
    [
      withReader({ role: 'arn:aws:sts::210987654321:assumed-role/reports/me' }),
      "readers[0].role: 'arn:aws:sts::210987654321:assumed-role/reports/me' is a session of a role; use the role: 'arn:aws:iam::210987654321:role/reports'",
    ],
    [
      withReader({ entities: [] }),
      'readers[0].entities: is empty; add an entity, or leave it out to allow all of them',
    ],
    [withReader({ entities: 'CL' }), "readers[0].entities: 'CL' is not a list of entities, such as ['CL']"],
    [
      withReader({ entities: ['CL', 'XX'] }),
      "readers[0].entities[1]: 'XX' is not a configured entity; the entities are CL",
    ],
    [
      withReader({ entities: ['*'] }),
      "readers[0].entities[0]: '*' is not a configured entity; the entities are CL",
    ],
    [
      withReader({ entities: ['CL', 'CL'] }),
      "readers[0].entities[1]: 'CL' is already in the list; remove it",
    ],
    [
      withKeys({ readers: [{ role, entities: ['CL'] }] }),
      "readers[0].entities[0]: 'CL' is not a configured entity; no entity is configured",
    ],
    [withReader({ data: [] }), 'readers[0].data: is empty; add one, or leave it out to allow everything'],
    [
      withReader({ data: ['logs'] }),
      "readers[0].data[0]: 'logs' is not 'snapshots' or 'changes' or 'tables'",
    ],
    [
      withReader({ data: ['tables', 'tables'] }),
      "readers[0].data[1]: 'tables' is already in the list; remove it",
    ],
    [withReader({ prefix: 'CL' }), 'readers[0].prefix: unknown key. The keys here are role, entities, data'],
    [
      withKeys({ readers: [{ role }, { role }] }),
      `readers[1].role: '${role}' is also the role of readers[0]; list each role once`,
    ],
    [withKeys({ entities: [entity], readers: readersOf(40) }), 'readers: need a bucket policy of about '],
    // throttle
    [
      withKeys({ throttle: { ratePerSecond: 0 } }),
      'throttle.ratePerSecond: 0 is not a number from 0.1 to 10000',
    ],
    [
      withKeys({ throttle: { ratePerSecond: Infinity } }),
      'throttle.ratePerSecond: Infinity is not a number from 0.1 to 10000',
    ],
    [withKeys({ throttle: { burst: -1 } }), 'throttle.burst: -1 is not a whole number from 1 to 5000'],
    [withKeys({ throttle: { burst: 1.5 } }), 'throttle.burst: 1.5 is not a whole number from 1 to 5000'],
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
    // entities
    [withKeys({ entities: {} }), 'entities: an object is not a list of entities'],
    [withKeys({ entities: ['CL'] }), "entities[0]: 'CL' is not an object with name, schedule, "],
    [
      withKeys({ entities: [{ schedule: 'rate(1 day)' }] }),
      'entities[0].name: is missing; it must be one path segment of letters',
    ],
    [
      withKeys({ entities: [{ name: 'CL' }] }),
      "entities[0].schedule: is missing; it must be rate(…) or cron(…), such as 'rate(6 hours)'",
    ],
    [
      withEntity({ schedule: 'cron(0 0 31 2 ? *)' }),
      "entities[0].schedule: 'cron(0 0 31 2 ? *)' never runs: that date does not exist",
    ],
    [withKeys({ entities: [null, entity] }), 'entities[0]: null is not an object'],
    [
      withEntity({ name: 'a/b' }),
      "entities[0].name: 'a/b' is not one path segment of letters, digits, _ and -",
    ],
    [withEntity({ name: '..' }), "entities[0].name: '..' is not one path segment"],
    [withEntity({ name: '' }), "entities[0].name: '' is not one path segment"],
    [
      withEntity({ timezone: 'Lisbon' }),
      "entities[0].timezone: 'Lisbon' is not a time zone, such as 'Europe/Lisbon'",
    ],
    [withEntity({ timezone: '+01:00' }), "entities[0].timezone: '+01:00' is not a time zone"],
    [
      withEntity({ timezone: 'europe/lisbon' }),
      "entities[0].timezone: 'europe/lisbon' must be written 'Europe/Lisbon'",
    ],
    [withEntity({ pageSize: 0 }), 'entities[0].pageSize: 0 is not a whole number from 1 to 1000'],
    [withEntity({ pageSize: 1001 }), 'entities[0].pageSize: 1001 is not a whole number from 1 to 1000'],
    [withEntity({ idField: ' ' }), "entities[0].idField: ' ' is not the name of a field"],
    [withEntity({ keepSnapshots: 0 }), 'entities[0].keepSnapshots: 0 is not a whole number from 1 to 1000'],
    [withEntity({ keepSnapshots: { last: 7 } }), 'entities[0].keepSnapshots.daily: is missing'],
    [withEntity({ keepSnapshots: { dayly: 7, daily: 1 } }), 'entities[0].keepSnapshots.dayly: unknown key'],
    [withEntity({ keepSnapshots: [7] }), 'entities[0].keepSnapshots: a list is not an object'],
    [
      withEntity({ maxShrinkPercent: 101 }),
      'entities[0].maxShrinkPercent: 101 is not a number from 0 to 100',
    ],
    [
      withEntity({ totalTolerancePercent: -1 }),
      'entities[0].totalTolerancePercent: -1 is not a number from 0 to 100',
    ],
    [withEntity({ allowEmpty: 'no' }), "entities[0].allowEmpty: 'no' is not true or false"],
    [withEntity({ enabled: 1 }), 'entities[0].enabled: 1 is not true or false'],
    // _fields
    [
      withEntity({ query: { _fields: 'city,country' } }),
      "entities[0].query._fields: does not contain the idField 'id'; add 'id' or use '_all'",
    ],
    [
      withEntity({ idField: 'userId', query: { _fields: ['id', 'city'] } }),
      "entities[0].query._fields: does not contain the idField 'userId'; add 'userId' or use '_all'",
    ],
    // partitions
    [
      withEntity({ partitions: { by: 'createdIn' } }),
      'entities[0].partitions.count: is missing; it must be a whole number from 2 to 10',
    ],
    [
      withEntity({ partitions: { by: 'createdIn', count: 11 } }),
      'entities[0].partitions.count: 11 is not a whole number from 2 to 10',
    ],
    [
      withEntity({ partitions: { by: 'created in', count: 2 } }),
      "entities[0].partitions.by: 'created in' is not the name of a date field, such as 'createdIn'",
    ],
    [
      withEntity({ partitions: { by: 'updatedIn', count: 2 } }),
      "entities[0].partitions.by: 'updatedIn' changes with every update; use a field that never changes, such as 'createdIn'",
    ],
    [
      withEntity({ partitions: { by: 'lastInteractionIn', count: 2 } }),
      "entities[0].partitions.by: 'lastInteractionIn' changes with every update",
    ],
    [withEntity({ partitions: false }), 'entities[0].partitions: false is not an object with by, count'],
    // changes
    [
      withEntity({ changes: true }),
      'entities[0].changes: true is not an object with ignore, maxDeletePercent, keepDays',
    ],
    [
      withEntity({ changes: { maxDeletePercent: 101 } }),
      'entities[0].changes.maxDeletePercent: 101 is not a number from 0 to 100',
    ],
    [
      withEntity({ changes: { keepDays: 0 } }),
      'entities[0].changes.keepDays: 0 is not a whole number from 1 to 365',
    ],
    [
      withEntity({ changes: { ignore: 'updatedIn' } }),
      "entities[0].changes.ignore: 'updatedIn' is not a list of field names",
    ],
    [
      withEntity({ changes: { keepdays: 5 } }),
      "entities[0].changes.keepdays: unknown key. Did you mean 'keepDays'?",
    ],
    // query
    [
      withEntity({ query: '_fields=id' }),
      "entities[0].query: '_fields=id' is not an object of query parameters",
    ],
    [
      withEntity({ query: { _size: 10 } }),
      'entities[0].query._size: is set by the sync; use pageSize instead',
    ],
    [withEntity({ query: { _token: 'x' } }), 'entities[0].query._token: is set by the sync; remove it'],
    [
      withEntity({ query: { 'a b': {} } }),
      "entities[0].query['a b']: an object is not a string, a number, true or false",
    ],
    [
      withEntity({ query: { a: ['x', null] } }),
      'entities[0].query.a[1]: null is not a string, a number, true or false',
    ],
    [
      withEntity({ query: { a: [] } }),
      'entities[0].query.a: is an empty list, which sends nothing; remove it',
    ],
    [withEntity({ query: { '': 'x' } }), "entities[0].query['']: is not the name of a parameter"],
  ])('%j: %s', (input, mistake) => {
    const mistakes = mistakesIn(input)
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]).toContain(mistake)
    expect(mistakes[0]?.startsWith(mistake.slice(0, mistake.indexOf(':')))).toBe(true)
  })

  it('reports an entity that is configured twice', () => {
    expect(mistakesIn(withKeys({ entities: [entity, { ...entity, name: 'AD' }, entity] }))).toEqual([
      "entities[2].name: 'CL' is also the name of entities[0]; configure each entity once",
    ])
  })

  it.each([
    ['CL', 'cl'],
    ['A-B', 'A_B'],
    ['CL', 'cl_changes'],
    ['CL_changes', 'CL'],
  ])('reports %s and %s, whose tables in Glue would have the same name', (first, second) => {
    const mistakes = mistakesIn(
      withKeys({
        entities: [
          { ...entity, name: first },
          { ...entity, name: second },
        ],
      }),
    )
    expect(mistakes).toEqual([
      `entities[1].name: '${second}' and '${first}' would have the same table name in Glue; keep one of them, or set athena to false`,
    ])
  })

  it('reports more tables than the Athena stack holds', () => {
    const entities = Array.from({ length: 246 }, (_, index) => ({ ...entity, name: `E${index}` }))
    expect(mistakesIn(withKeys({ entities }))).toEqual([
      'entities: need 492 tables in Glue; one stack holds at most 490. Set athena to false, or changes to false for entities that do not need them',
    ])
    expect(mistakesIn(withKeys({ entities, athena: false }))).toEqual([])
    expect(mistakesIn(withKeys({ entities: entities.map((each) => ({ ...each, changes: false })) }))).toEqual(
      [],
    )
  })

  it.each([
    ['the same region', 'eu-west-1', []],
    ['an unknown region', undefined, []],
    [
      'another region',
      'us-east-1',
      [
        'domain.certificateArn: is a certificate of eu-west-1, but the deployment is in us-east-1; use a certificate of us-east-1',
      ],
    ],
  ])('compares the region of the certificate with that of the deployment: %s', (_what, region, expected) => {
    expect(mistakesIn(withDomain({}), region)).toEqual(expected)
  })

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
    expect(retentionDays).toEqual(known.filter((days) => days !== RetentionDays.INFINITE))
  })

  it('reports more entities than a stack holds', () => {
    const entities = Array.from({ length: 401 }, (_, index) => ({ ...entity, name: `E${index}` }))
    expect(mistakesIn(withKeys({ athena: false, entities }))).toEqual([
      'entities: has 401 entities; one stack holds at most 400',
    ])
    expect(mistakesIn(withKeys({ athena: false, entities: entities.slice(1) }))).toEqual([])
  })
})

describe('mistakes', () => {
  it('are reported all at once, on every level', () => {
    const mistakes = mistakesIn({
      nam: 'Shop',
      upstream: { baseUrl: 'x', timeout: 5 },
      auth: { type: 'jwt' },
      throttle: { burst: 0 },
      entities: [
        { name: 'CL', schedule: 'every day', query: { _size: 1, _token: 'x', _fields: 'city' } },
        { name: 'CL', schedule: 'rate(1 day)', pageSize: 5000 },
      ],
      stepSeconds: '780',
    })
    expect(mistakes.map((mistake) => mistake.slice(0, mistake.indexOf(':'))).sort()).toEqual([
      'auth.audience',
      'auth.issuer',
      'entities[0].query._fields',
      'entities[0].query._size',
      'entities[0].query._token',
      'entities[0].schedule',
      'entities[1].name',
      'entities[1].pageSize',
      'nam',
      'stepSeconds',
      'throttle.burst',
      'upstream.baseUrl',
      'upstream.timeout',
    ])
  })

  it('are listed one per line under the name of the file', () => {
    expect(() =>
      resolveConfig({ upstream: { ...upstream, timeoutSeconds: 99 }, name: '' }, 'shop.json'),
    ).toThrow(/^shop\.json has 2 errors:\n {2}name: .*\n {2}upstream\.timeoutSeconds: .*$/)
  })

  it.each([
    withUpstream({ baseUrl: 'https://user:hunter2@shop.example.com' }),
    withKeys({ credentials: { documents: 'hunter2 is my token' } }),
    withKeys({ credentials: { documents: { appToken: 'hunter2' } } }),
  ])('never repeat what may be a secret: %#', (input) => {
    const [mistake, ...more] = mistakesIn(input)
    expect(more).toEqual([])
    expect(mistake).not.toContain('hunter2')
  })
})

describe('resolveConfig', () => {
  it('normalizes an origin with a slash, a default port or capital letters', () => {
    for (const baseUrl of [
      'https://shop.example.com/',
      'https://shop.example.com:443',
      'HTTPS://Shop.Example.COM',
    ])
      expect(resolveConfig({ upstream: { baseUrl } }).upstream.baseUrl).toBe('https://shop.example.com')
  })

  it('converts query parameters that are numbers or booleans to strings', () => {
    const { entities } = resolveConfig(withEntity({ query: { a: 1, b: true, c: ['x', 2, false], d: '' } }))
    expect(entities[0]?.query).toEqual({ a: '1', b: 'true', c: ['x', '2', 'false'], d: '' })
  })

  it('keeps filters on fields named like members of Object.prototype', () => {
    const filters = '{"prototype":true,"constructor":"x","__proto__":["y"],"toString":1}'
    const { entities } = resolveConfig(withEntity({ query: JSON.parse(filters) }))
    expect(Object.entries(entities[0]?.query ?? {})).toEqual([
      ['prototype', 'true'],
      ['constructor', 'x'],
      ['__proto__', ['y']],
      ['toString', '1'],
    ])
  })

  it('but never the issuer, which tokens must match exactly', () => {
    const auth = { type: 'jwt', issuer: 'https://login.example.com/', audience: ['a'] } as const
    expect(resolveConfig({ upstream, auth }).auth).toEqual(auth)
  })
})
