import assert from 'node:assert/strict'
import { GetBucketPolicyCommand } from '@aws-sdk/client-s3'
import { DescribeSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { openapiRoutes } from '../../../functions/http/openapi-routes.ts'
import { syncRoutes } from '../../../functions/http/sync-routes.ts'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import type { ConfigurationInput } from '../../../lib/config.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import type { Deployment } from '../deployment.ts'
import { account, region } from '../emulator.ts'
import type { Issuer, Signing } from '../issuer.ts'
import { type CallResponse, call } from '../signed-call.ts'
import { dock } from '../upstream.ts'

interface Route {
  readonly method: string
  readonly path: string
  readonly scope?: string
}

const routes: readonly Route[] = [...endpoints, ...syncRoutes, ...openapiRoutes]
const scopes = [...new Set(routes.flatMap(({ scope }) => scope ?? []))]
const audience = 'longshore-e2e'
const dockPath = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

/** Invalid tokens that name every scope. */
const badTokens: readonly { what: string; claims?: object; signing?: Signing }[] = [
  { what: 'for another audience', claims: { aud: 'another' } },
  { what: 'for no audience', claims: { aud: undefined } },
  { what: 'that has expired', claims: { exp: Math.floor(Date.now() / 1000) - 60 } },
  { what: 'that is not signed', signing: 'none' },
  { what: 'signed with another key', signing: 'other-key' },
  { what: 'of another issuer', claims: { iss: 'https://issuer.example' } },
]

/** Settings of a deployment that refer to resources of the account. The emulator must accept all of them. */
const ofTheirAccount: Partial<ConfigurationInput> = {
  tags: { team: 'shop' },
  logRetentionDays: 7,
  network: { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'] },
  domain: {
    name: 'tokens.example.com',
    certificateArn: `arn:aws:acm:${region}:${account}:certificate/1234abcd-12ab-34cd-56ef-1234567890ab`,
  },
  readers: [{ role: 'arn:aws:iam::210987654321:role/reports', entities: ['CL'], data: ['snapshots'] }],
}

let deployment: Deployment

/** A deployment of its own whose callers use tokens of an OpenID provider instead of signatures. */
export const tokenChecks: Check[] = [
  {
    name: 'with JWT a token with the right scope reads a dock',
    async run(context) {
      const auth = { type: 'jwt' as const, issuer: context.issuer.url, audience: [audience] }
      const upstream = { baseUrl: context.platform.url }
      const entities = [{ name: 'CL', schedule: 'rate(30 days)' }] as const
      deployment = await context.deployBeside({
        ...ofTheirAccount,
        name: 'Tokens',
        auth,
        upstream,
        entities: [...entities],
      })
      const [pair] = context.platform.credentials
      const keys = { SecretId: deployment.secretArn, SecretString: JSON.stringify(pair) }
      await context.secrets.send(new PutSecretValueCommand(keys))
      const response = await send({ method: 'GET', path: dockPath }, tokenOf(context.issuer, 'docks:read'))
      assert.equal(response.status, 200, response.body.toString())
      assert.ok(response.body.equals(dock))
    },
  },
  {
    name: 'with JWT each route accepts its own scope and no other',
    async run({ issuer }) {
      for (const route of routes) {
        const { scope } = route
        const others = scopes.filter((one) => one !== scope).join(' ')
        const [own, other, none] = [scope ?? 'unheard:of', others, ''].map((granted) =>
          send(route, tokenOf(issuer, granted)),
        )
        const what = `${route.method} ${route.path}`
        assertLetIn(await own, what)
        if (scope === undefined) for (const response of [await other, await none]) assertLetIn(response, what)
        else for (const response of [await other, await none]) assert.equal(response?.status, 403, what)
      }
      await eventually('the sync that was started is over', async () => {
        const { body } = await send({ method: 'GET', path: '/syncs/CL' }, tokenOf(issuer, 'syncs:read'))
        return JSON.parse(body.toString()).running === null || undefined
      })
    },
  },
  {
    name: 'with JWT a call without a token is refused on every route, signed or not',
    async run({ caller, platform }) {
      const before = platform.requests.length
      const sign = { service: 'execute-api', credentials: caller }
      for (const route of routes) {
        assert.equal((await send(route)).status, 401, `${route.method} ${route.path}`)
        const signed = await call({ ...concrete(route), origin: deployment.apiUrl, sign })
        assert.ok(
          [401, 403].includes(signed.status),
          `${route.method} ${route.path}, signed: ${signed.status}`,
        )
      }
      assert.equal(requestsOfCallers(platform.requests.slice(before)), 0)
    },
  },
  ...badTokens.map(({ what, claims, signing }) => ({
    name: `with JWT a token ${what} is refused on every route and has no effect`,
    async run({ issuer, platform }: CheckContext) {
      const before = platform.requests.length
      const token = issuer.token({ aud: audience, scope: scopes.join(' '), ...claims }, signing)
      for (const route of routes) {
        const { status } = await send(route, token)
        assert.equal(status, 401, `${route.method} ${route.path}`)
      }
      assert.equal(requestsOfCallers(platform.requests.slice(before)), 0)
    },
  })),
]

/** Runs after the checks that read the logs. */
export const destroyChecks: Check[] = [
  {
    name: 'cdk destroy stops at the protected Storage stack, and without protection keeps bucket, policy, table and secret, and reports so',
    async run(context) {
      const { bucket, table, secretArn, apiUrl } = deployment
      await assert.rejects(deployment.destroy(), /TerminationProtection is enabled/)
      await deployment.unprotect()
      const printed = await deployment.destroy()
      const { status } = await call({ method: 'GET', path: '/openapi.json', origin: apiUrl })
      assert.equal(status, 404, 'the API was deleted')
      const { Policy = '' } = await context.s3.send(new GetBucketPolicyCommand({ Bucket: bucket }))
      assert.match(Policy, /aws:SecureTransport/, 'the bucket still refuses requests without TLS')
      assert.match(Policy, /"aws:PrincipalArn": ?"arn:aws:iam::210987654321:role\/reports"/)
      assert.ok(
        (await context.account.scan(table)).length > 0,
        'the state of the run that was started is there',
      )
      const secret = await context.secrets.send(new DescribeSecretCommand({ SecretId: secretArn }))
      assert.equal(secret.DeletedDate, undefined)
      const types = ['S3::Bucket', 'S3::BucketPolicy', 'DynamoDB::Table', 'SecretsManager::Secret']
      for (const type of types) {
        assert.match(printed, new RegExp(`DELETE_SKIPPED *\\| AWS::${type}`))
      }
    },
  },
]

function tokenOf(issuer: Issuer, scope: string): string {
  return issuer.token({ aud: audience, scope })
}

function send(route: Route, token?: string): Promise<CallResponse> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { headers, ...request } = concrete(route)
  return call({ ...request, headers: { ...headers, ...authorization }, origin: deployment.apiUrl })
}

function concrete({ method, path }: Route) {
  const writes = method === 'PATCH' || method === 'POST'
  const headers: Record<string, string> = writes ? { 'content-type': 'application/json' } : {}
  const filled = path.replace('{entity}', 'CL').replace(/\{\w+\}/g, 'CL')
  return { method, path: filled, headers, body: writes ? '{}' : '' }
}

/** The call passed API Gateway: the response is the platform's or a function's. */
function assertLetIn(response: CallResponse | undefined, what: string): void {
  assert.ok(response && ![401, 403].includes(response.status), `${what} returned ${response?.status}`)
  assert.ok(response.status < 500, `${what} returned ${response.status}: ${response.body.toString()}`)
}

function requestsOfCallers(requests: CheckContext['platform']['requests']): number {
  return requests.filter(({ name }) => name !== 'Scheduled').length
}
