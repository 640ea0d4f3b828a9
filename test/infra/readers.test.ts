import type { Stack } from 'aws-cdk-lib'
import { Annotations, Match } from 'aws-cdk-lib/assertions'
import { beforeAll, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { type Resource, synthesize, synthesizeApp } from './synthesize.ts'

const reports = 'arn:aws:iam::210987654321:role/reports'
const loader = 'arn:aws:iam::111122223333:role/teams/loader'
const configuration: Partial<ConfigurationInput> = {
  entities: [
    { name: 'CL', schedule: 'rate(6 hours)' },
    { name: 'AD', schedule: 'rate(6 hours)' },
  ],
  readers: [{ role: reports }, { role: loader, entities: ['CL'], data: ['tables', 'changes'] }],
}

interface Allowed {
  readonly Sid?: string
  readonly Action: string
  readonly Principal: { readonly AWS: unknown }
  readonly Resource: unknown
  readonly Condition: Readonly<Record<string, unknown>>
}

let policies: readonly Resource[]
let allowed: readonly Allowed[]
beforeAll(() => {
  policies = synthesize(configuration).of('AWS::S3::BucketPolicy')
  allowed = policies
    .filter(({ id }) => id.startsWith('Snapshots'))
    .flatMap(({ properties }) => properties.PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === 'Allow')
})

const of = (role: string) =>
  allowed
    .filter(({ Condition }) => (Condition['ArnEquals'] as object | undefined) !== undefined)
    .filter(
      ({ Condition }) =>
        JSON.stringify(Condition['ArnEquals']) === JSON.stringify({ 'aws:PrincipalArn': role }),
    )

it.each([
  [reports, '210987654321', ['snapshots/*', 'changes/*', 'tables/*', 'iceberg/*']],
  [loader, '111122223333', ['tables/CL/*', 'tables/CL.changes/*', 'iceberg/CL/*', 'changes/CL/*']],
])('%s may read and list its prefixes, through a condition on its account', (role, account, keys) => {
  const [read, list, ...others] = of(role)
  expect(others).toEqual([])
  for (const statement of [read, list])
    expect(JSON.stringify(statement?.Principal)).toMatch(new RegExp(`^\\{"AWS":.*:iam::${account}:root"`))
  expect(read?.Action).toBe('s3:GetObject')
  const resources = [read?.Resource].flat().map((resource) => JSON.stringify(resource))
  expect(resources.map((text) => /"\/([^"]*)"/.exec(text)?.[1])).toEqual(keys)
  expect(read?.Condition).toEqual({ ArnEquals: { 'aws:PrincipalArn': role } })
  expect(list?.Action).toBe('s3:ListBucket')
  expect(JSON.stringify(list?.Resource)).toMatch(/"Fn::GetAtt":\["Snapshots\w+","Arn"\]/)
  expect(list?.Condition).toEqual({
    ArnEquals: { 'aws:PrincipalArn': role },
    StringLike: { 's3:prefix': keys },
  })
})

it('nothing else is allowed, and the access log has no readers', () => {
  expect(allowed).toHaveLength(4)
  const log = policies.filter(({ id }) => id.startsWith('AccessLog'))
  expect(log).toHaveLength(1)
  expect(JSON.stringify(log)).not.toContain('PrincipalArn')
})

it('synthesis reports what the key’s policy must allow, if there is a key', () => {
  const encryptionKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'
  const warnings = (change: Partial<ConfigurationInput>) =>
    synthesizeApp(change, (app) =>
      Annotations.fromStack(app.node.findChild('LongshoreStorage') as Stack).findWarning(
        '*',
        Match.anyValue(),
      ),
    ).map(({ entry }) => JSON.stringify(entry.data))
  expect(warnings(configuration)).toEqual([])
  expect(warnings({ encryptionKeyArn })).toEqual([])
  expect(warnings({ ...configuration, encryptionKeyArn })).toEqual([expect.stringContaining('kms:Decrypt')])
})

it('there are no readers by default', () => {
  expect(Object.values(synthesize().templates).join()).not.toContain('PrincipalArn')
})
