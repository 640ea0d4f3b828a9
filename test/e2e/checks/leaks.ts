import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { localCredentials } from '../../../local/stand-in/platform.ts'
import { secretPath } from '../../alert-receiver.ts'
import { onDock } from '../../stand-in-faults.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { locations } from '../locations.ts'
import { rotatedCredentials } from './rotation.ts'

const canary = {
  ofHeader: 'canary-header-51c0a9',
  ofCookie: 'canary-cookie-9be2f4',
  ofAuthorization: 'canary-authorization-0f6d13',
  ofQuery: 'canary-query-c27ab8',
  ofRange: 'canary-range-4d90ee',
  ofBody: 'canary-body-e83b70',
  ofKey: 'canary-key-66d1fa',
  ofPlatform: 'canary-platform-a9145c',
  ofDocument: 'canary-document-17fd3b',
} as const

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'
const subscription = '/api/rns/subscriptions/s1'
const search = '/api/dataentities/By_Hand/search'
const json = { 'content-type': 'application/json' }

/** Canary values in successful and failed calls that only the caller and the platform may see. */
export const leakChecks: Check[] = [
  {
    name: 'credentials, tokens, headers, query values, bodies and documents appear in no log, metric, template, state or history',
    async run(context) {
      const scrollTokens = await plant(context)
      const traceId = randomBytes(16).toString('hex')
      const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
      assert.equal((await context.callApi({ path: dock, headers: { traceparent } })).status, 200)
      const secrets = Object.entries({ localCredentials, rotatedCredentials }).flatMap(([pair, keys]) =>
        Object.entries(keys).map(([name, value]) => [`${pair}.${name}`, String(value)] as const),
      )
      const wanted: readonly (readonly [string, string])[] = [
        ...secrets,
        ...Object.entries(canary),
        ...context.issuer.issued().map((token, index) => [`JWT ${index}`, token] as const),
        ...scrollTokens.map((token, index) => [`scroll token ${index}`, token] as const),
        ['the address of a receiver', secretPath],
        ['the signature of a receiver', secretPath.slice(secretPath.indexOf('='))],
        ['the key of the caller', context.caller.secretAccessKey],
      ]
      assert.ok(scrollTokens.length > 1 && context.issuer.issued().length > 0)
      const leaks: string[] = []
      for (const location of await locations(context, traceId)) {
        assert.ok(location.text.includes(location.marker), `${location.name} was not read`)
        for (const [what, value] of wanted) {
          const belongs =
            (location.holds === 'scroll tokens' && what.startsWith('scroll token')) ||
            (location.holds === 'bodies' && what === 'ofBody')
          if (!belongs && location.text.includes(value)) leaks.push(`${what} in ${location.name}`)
        }
      }
      assert.deepEqual(leaks, [])
    },
  },
  {
    name: 'no response of the API contains credentials, a caller’s token or an ARN',
    async run({ responses, issuer, deployment }) {
      const keys = [localCredentials, rotatedCredentials].flatMap(({ appKey, appToken }) => [
        appKey,
        appToken,
      ])
      const never = [...keys, ...issuer.issued(), deployment.secretArn, deployment.table, 'arn:aws:']
      // API Gateway itself returns this 403. The text is the emulator's.
      const ours = responses().filter(({ status }) => status !== 403)
      assert.ok(ours.length > 30)
      const leaks = ours.flatMap(({ request, text }) =>
        never
          .filter((value) => text.includes(value))
          .map((value) => `${value} in the response to ${request}`),
      )
      assert.deepEqual(leaks, [])
    },
  },
]

/** Sends every canary. Returns the scroll tokens of this and earlier checks. */
async function plant(context: CheckContext): Promise<string[]> {
  const { callApi, platform } = context
  const careless = {
    'x-anything': canary.ofHeader,
    'x-svc-api-apptoken': canary.ofHeader,
    'x-request-id': canary.ofHeader,
    cookie: `session=${canary.ofCookie}`,
    'accept-language': canary.ofHeader,
  }
  await callApi({ path: dock, headers: careless })
  // The emulator accepts it; AWS would refuse it.
  await callApi({ path: dock, as: 'nobody', headers: { authorization: `Bearer ${canary.ofAuthorization}` } })
  await callApi({ path: `${search}?email=${canary.ofQuery}`, headers: careless })
  await callApi({ path: `${search}?_${canary.ofQuery}=${canary.ofQuery}` })
  await callApi({ path: search, headers: { 'rest-range': canary.ofRange } })
  const note = JSON.stringify({ note: canary.ofBody })
  for (const body of [note, `${note}}`, JSON.stringify({ item: [canary.ofBody] })]) {
    await callApi({ method: 'PATCH', path: subscription, headers: json, body })
    const headers = { ...json, 'idempotency-key': `${canary.ofKey}-${body.length}` }
    await callApi({ method: 'PATCH', path: subscription, headers, body })
  }
  for (const fault of [
    { kind: 'status', status: 500, body: canary.ofPlatform, headers: { 'set-cookie': canary.ofPlatform } },
    // The host of a redirect is logged: it helps to find a wrong platform URL.
    { kind: 'redirect', location: `https://shop.example/${canary.ofPlatform}?key=${canary.ofPlatform}` },
    { kind: 'body', change: () => Buffer.from(canary.ofPlatform) },
    { kind: 'cut' },
  ] as const) {
    const rule = platform.faults.add({ match: onDock(), fault, times: Infinity })
    await callApi({ path: dock })
    rule.remove()
  }
  const document = Buffer.from(JSON.stringify({ id: canary.ofDocument, email: canary.ofDocument }))
  platform.documents.set('By_Hand', [document])
  await executionEnd(context, await startExecution(context, { entity: 'By_Hand', acceptShrink: true }))
  const page = await callApi({ path: '/api/dataentities/By_Hand/scroll?_size=1' })
  const ofProxy = String(page.headers['x-svc-md-token'])
  return [...new Set([ofProxy, ...platform.requests.flatMap(({ query }) => query.get('_token') ?? [])])]
}
