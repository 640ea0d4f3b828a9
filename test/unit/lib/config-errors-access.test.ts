import { describe, expect, it } from 'vitest'
import {
  beginningsOf,
  certificateArn,
  entity,
  errorsIn,
  readersOf,
  role,
  withDomain,
  withKeys,
  withReader,
} from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  it.each<[unknown, string]>([
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
      "readers[0].entities: is empty; add an entity, or omit 'entities' to allow all of them",
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
    [withReader({ data: [] }), "readers[0].data: is empty; add one, or omit 'data' to allow everything"],
    [withReader({ data: ['logs'] }), "readers[0].data[0]: 'logs' is not 'snapshots', 'changes' or 'tables'"],
    [
      withReader({ data: ['tables', 'tables'] }),
      "readers[0].data[1]: 'tables' is already in the list; remove it",
    ],
    [withReader({ prefix: 'CL' }), 'readers[0].prefix: unknown key. The valid keys are role, entities, data'],
    [
      withKeys({ readers: [{ role }, { role }] }),
      `readers[1].role: '${role}' is also the role of readers[0]; list each role once`,
    ],
    [withKeys({ entities: [entity], readers: readersOf(40) }), 'readers: need a bucket policy of about '],
  ])('%j: %s', (input, error) => expect(beginningsOf(errorsIn(input), error)).toEqual([error]))

  it.each([
    ['all data', 17, {}],
    ['one kind of data', 26, { data: ['snapshots'] }],
  ])('accepts as many readers of %s as docs/limits.md says', (_what, most, keys) => {
    const of = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        role: `${role}-${String(index).padStart(11, '0')}`,
        ...keys,
      }))
    expect(errorsIn(withKeys({ readers: of(most) }))).toEqual([])
    expect(errorsIn(withKeys({ readers: of(most + 1) }))).toHaveLength(1)
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
    expect(errorsIn(withDomain({}), region)).toEqual(expected)
  })
})
