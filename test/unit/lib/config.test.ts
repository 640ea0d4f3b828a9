import { describe, expect, it } from 'vitest'
import { defineConfig, resolveConfig, settingsOf } from '../../../lib/config.ts'
import { entityNamed } from '../../entity-named.ts'
import {
  certificateArn,
  entity,
  errorsIn,
  keyId,
  network,
  tagsOf,
  upstream,
  withEntity,
  withKeys,
  withReader,
  withUpstream,
} from './configurations.ts'

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
      endpoints: [],
      cors: [],
      throttle: { ratePerSecond: 50, burst: 100 },
      validation: 'strict',
      athena: true,
      entities: [entityNamed('CL', { schedule: 'rate(6 hours)' })],
      maxConcurrentSyncs: 5,
      maxConcurrentScrolls: 8,
      stepSeconds: 780,
      previousEncryptionKeyArns: [],
      alerts: [],
      tracing: false,
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
        'alerts',
        'auth',
        'credentials',
        'endpoints',
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
    ['a schedule whose year has passed', withEntity({ schedule: 'cron(0 0 1 1 ? 2001)' })],
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
    [
      '_fields with the field of the partitions',
      withEntity({ partitions: { by: 'createdIn', count: 4 }, query: { _fields: 'id, createdIn' } }),
    ],
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
    ...[
      'America/Sao_Paulo',
      'Europe/Kiev',
      'Europe/Kyiv',
      'Asia/Kolkata',
      'US/Pacific',
      'EST5EDT',
      'Etc/GMT+3',
    ].map((timezone): [string, object] => [`the time zone ${timezone}`, withEntity({ timezone })]),
    ['letters, digits, _ and - in a name', withEntity({ name: 'My_entity-2' })],
    [
      'names that differ in case without Athena',
      withKeys({ athena: false, entities: [entity, { ...entity, name: 'cl' }] }),
    ],
  ])('%s', (_, input) => expect(errorsIn(input)).toEqual([]))
})

describe('errors', () => {
  it('are reported all at once, on every level', () => {
    const errors = errorsIn({
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
    expect(errors.map((error) => error.slice(0, error.indexOf(':'))).sort()).toEqual([
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
    const [error, ...more] = errorsIn(input)
    expect(more).toEqual([])
    expect(error).not.toContain('hunter2')
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

  it('does not normalize the issuer, which tokens must match exactly', () => {
    const auth = { type: 'jwt', issuer: 'https://login.example.com/', audience: ['a'] } as const
    expect(resolveConfig({ upstream, auth }).auth).toEqual(auth)
  })
})
