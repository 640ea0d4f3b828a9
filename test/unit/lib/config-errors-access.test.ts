import { describe, expect, it } from 'vitest'
import {
  certificateArn,
  entity,
  errorsIn,
  itNames,
  readersOf,
  role,
  withAuth,
  withDomain,
  withKeys,
  withReader,
} from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  itNames(withKeys, '', [
    [{ auth: 'iam' }, "auth: 'iam' is not an object with type"],
    [{ auth: {} }, "auth.type: is missing; it must be 'iam' or 'jwt'"],
    [{ auth: { type: 'none' } }, "auth.type: 'none' is not 'iam' or 'jwt'"],
    [
      { auth: { type: 'jwt', issuer: 'https://x.example' } },
      "auth.audience: is missing; it must be a list of strings, such as ['longshore']",
    ],
    [{ cors: '*' }, "cors: '*' is not a list of origins"],
    ...['https://a.example/', 'https://a.example:443'].map((origin): [object, string] => [
      { cors: [origin] },
      `cors[0]: '${origin}' is not an origin; use 'https://a.example'`,
    ]),
    [
      { cors: ['*', 'a.example'] },
      "cors[1]: 'a.example' is neither an origin, such as 'https://app.example.com', nor '*'",
    ],
    [{ cors: [5] }, 'cors[0]: 5 is not an origin'],
    [{ throttle: { ratePerSecond: 0 } }, 'throttle.ratePerSecond: 0 is not a number from 0.1 to 10000'],
    [
      { throttle: { ratePerSecond: Infinity } },
      'throttle.ratePerSecond: Infinity is not a number from 0.1 to 10000',
    ],
    [{ throttle: { burst: -1 } }, 'throttle.burst: -1 is not a whole number from 1 to 5000'],
    [{ throttle: { burst: 1.5 } }, 'throttle.burst: 1.5 is not a whole number from 1 to 5000'],
    [{ domain: 'a.example' }, "domain: 'a.example' is not an object with name, certificateArn"],
    [{ domain: { name: 'a.example' } }, 'domain.certificateArn: is missing; it must be the ARN of an ACM'],
    [
      { domain: { certificateArn } },
      "domain.name: is missing; it must be a host name, such as 'longshore.example.com'",
    ],
    [{ readers: role }, `readers: '${role}' is not a list of readers, such as [{ role: 'arn:aws:iam::`],
    [{ readers: [role] }, `readers[0]: '${role}' is not an object with role, entities, data`],
    [{ readers: [{}] }, 'readers[0].role: is missing; it must be the full ARN of a role'],
    [
      { readers: [{ role, entities: ['CL'] }] },
      "readers[0].entities[0]: 'CL' is not a configured entity; no entity is configured",
    ],
    [
      { readers: [{ role }, { role }] },
      `readers[1].role: '${role}' is also the role of readers[0]; list each role once`,
    ],
    [{ entities: [entity], readers: readersOf(40) }, 'readers: need a bucket policy of about '],
  ])

  itNames(withAuth, 'auth.', [
    [{ type: undefined }, 'type: is missing; it must be'],
    [{ type: 'oidc' }, "type: 'oidc' is not 'iam' or 'jwt'"],
    [{ issuer: undefined }, 'issuer: is missing; it must be the https URL of the token issuer'],
    [
      { issuer: 'http://x.example' },
      "issuer: 'http://x.example' uses http, which only a loopback host may use",
    ],
    [{ issuer: 'login' }, "issuer: 'login' is not an https URL"],
    [{ issuer: 'https://x.example?a' }, "issuer: 'https://x.example?a' has a query"],
    [{ audience: 'a' }, "audience: 'a' is not a list of strings"],
    [{ audience: [] }, 'audience: is empty, so no token would be accepted'],
    [{ audience: ['a', ' '] }, "audience[1]: ' ' is not a non-empty string"],
  ])

  itNames(withDomain, 'domain.', [
    [{ name: 'longshore' }, "name: 'longshore' is not a host name, such as 'longshore.example.com'"],
    [{ name: '10.0.0.1' }, "name: '10.0.0.1' is not a host name"],
    [{ name: 'a_b.example.com' }, "name: 'a_b.example.com' is not a host name"],
    [{ name: '-a.example.com' }, "name: '-a.example.com' is not a host name"],
    [{ name: '*.example.com' }, "name: '*.example.com' is a wildcard; use one host name"],
    [
      { name: 'https://a.example.com/v1' },
      "name: 'https://a.example.com/v1' must be written 'a.example.com'",
    ],
    [{ name: 'A.Example.com' }, "name: 'A.Example.com' must be written 'a.example.com'"],
    [{ name: 'a.example.com:443' }, "name: 'a.example.com:443' must be written 'a.example.com'"],
    [{ name: 'a.example.com.' }, "name: 'a.example.com.' must be written 'a.example.com'"],
    [
      { certificateArn: 'arn:aws:iam::123456789012:server-certificate/a' },
      "certificateArn: 'arn:aws:iam::123456789012:server-certificate/a' is not the ARN of an ACM certificate, such as 'arn:aws:acm:",
    ],
  ])

  itNames(withReader, 'readers[0].', [
    [
      { role: 'reports' },
      "role: 'reports' is not the full ARN of a role, such as 'arn:aws:iam::123456789012:role/reports'",
    ],
    [{ role: '*' }, "role: '*' contains a wildcard; list each role by its full ARN"],
    ...['role/*', 'role/report?', 'root', 'user/a'].map((name): [object, string] => {
      const role = `arn:aws:iam::210987654321:${name}`
      const fault = name.startsWith('role') ? 'contains a wildcard' : 'is not the full ARN of a role'
      return [{ role }, `role: '${role}' ${fault}`]
    }),
    [
      { role: 'arn:aws:sts::210987654321:assumed-role/reports/me' },
      "role: 'arn:aws:sts::210987654321:assumed-role/reports/me' is a session of a role; use the role: 'arn:aws:iam::210987654321:role/reports'",
    ],
    [{ entities: [] }, "entities: is empty; add an entity, or omit 'entities' to allow all of them"],
    [{ entities: 'CL' }, "entities: 'CL' is not a list of entities, such as ['CL']"],
    [{ entities: ['CL', 'XX'] }, "entities[1]: 'XX' is not a configured entity; the entities are CL"],
    [{ entities: ['*'] }, "entities[0]: '*' is not a configured entity; the entities are CL"],
    [{ entities: ['CL', 'CL'] }, "entities[1]: 'CL' is already in the list; remove it"],
    [{ data: [] }, "data: is empty; add one, or omit 'data' to allow everything"],
    [{ data: ['logs'] }, "data[0]: 'logs' is not 'snapshots', 'changes' or 'tables'"],
    [{ data: ['tables', 'tables'] }, "data[1]: 'tables' is already in the list; remove it"],
    [{ prefix: 'CL' }, 'prefix: unknown key. The valid keys are role, entities, data'],
  ])

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
