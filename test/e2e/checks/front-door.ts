import assert from 'node:assert/strict'
import { onDock, onPatch } from '../../../local/platform/faults.ts'
import { localCredentials } from '../../../local/platform/platform.ts'
import type { ReceivedRequest } from '../../../local/platform/received-request.ts'
import { renderPage } from '../../../local/platform/rendering.ts'
import type { Check } from '../check.ts'
import { sourceDocuments } from '../snapshot-proof.ts'
import { dock } from '../upstream.ts'
import type { ApiRequest, World } from '../world.ts'

/** What a careless caller sends along; none of it may go up. */
const carelessHeaders = {
  'x-svc-api-appkey': 'of-the-caller',
  'X-SVC-API-AppToken': 'of-the-caller',
  cookie: 'session=of-the-caller',
  'x-forwarded-host': 'elsewhere.example',
  'x-anything': 'of-the-caller',
}

const patchBody = '{ "status" :"ACTIVE",\t"note": "Café \\u00e9 🌊",  "amount": 10.100000000000000001 }\n'
const groupBody = '{"item":[{"sku":{"id":"7"}, "quantity": 2}],\n "isSkipped":false}'

/** The five proxied endpoints: what arrives at the platform, and what comes back. */
export const frontDoorChecks: Check[] = [
  {
    name: 'a dock is read, byte for byte, with our credentials and nothing of the caller’s',
    async run(world) {
      const path = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'
      const { request, answer } = await throughTheDoor(world, { path, headers: carelessHeaders })
      assertSentUp(request, { method: 'GET', url: path, body: '' })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.ok(answer.body.equals(dock), answer.body.toString())
    },
  },
  {
    name: 'a subscription group is patched with exactly the caller’s bytes',
    async run(world) {
      const path = '/api/rns/subscriptions-group/g1?an=my%20shop'
      const { request, answer } = await throughTheDoor(world, {
        method: 'PATCH',
        path,
        headers: { ...carelessHeaders, 'content-type': 'application/json; charset=utf-8' },
        body: groupBody,
      })
      assertSentUp(request, {
        method: 'PATCH',
        url: path,
        body: groupBody,
        contentType: 'application/json; charset=utf-8',
      })
      assert.equal(answer.status, 200, answer.body.toString())
      assert.equal(world.platform.groups.get('g1')?.item?.length, 1)
    },
  },
  {
    name: 'a subscription is patched with exactly the caller’s bytes',
    async run(world) {
      const path = '/api/rns/subscriptions/s1'
      const { request, answer } = await throughTheDoor(world, {
        method: 'PATCH',
        path,
        headers: { ...carelessHeaders, 'content-type': 'application/merge-patch+json' },
        body: patchBody,
      })
      const contentType = 'application/merge-patch+json'
      assertSentUp(request, { method: 'PATCH', url: path, body: patchBody, contentType })
      assert.equal(answer.status, 200, answer.body.toString())
      assert.equal(world.platform.subscriptions.get('s1')?.['status'], 'ACTIVE')
    },
  },
  {
    name: 'a PATCH with an Idempotency-Key is done once, however often it is sent',
    async run(world) {
      const request = {
        method: 'PATCH',
        path: '/api/rns/subscriptions-group/g1',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'e2e-1' },
        body: '{"item":[{"sku":{"id":"8"},"quantity":1}]}',
      }
      const { answer: first } = await throughTheDoor(world, request)
      assert.deepEqual([first.status, first.headers['idempotency-replayed']], [200, undefined])
      const sent = world.platform.requests.filter(({ kind }) => kind === 'group').length
      const second = await world.callApi(request)
      assert.deepEqual([second.status, second.headers['idempotency-replayed']], [200, 'true'])
      assert.ok(second.body.equals(first.body))
      const other = await world.callApi({ ...request, body: '{}' })
      assert.equal(other.status, 422)
      assert.equal(world.platform.requests.filter(({ kind }) => kind === 'group').length, sent)
    },
  },
  {
    name: 'a search goes up with its range and filters in their order, and brings its range back',
    async run(world) {
      const path =
        '/api/dataentities/CL/search?_fields=id&isNewsletterOptIn=true&_sort=id%20ASC&email=a%40b.c&email=d'
      const { request } = await throughTheDoor(world, {
        path,
        headers: { 'REST-Range': 'resources=100-200' },
      })
      assertSentUp(request, { method: 'GET', url: path, body: '', range: 'resources=100-200' })

      const plain = '/api/dataentities/CL/search'
      const { answer } = await throughTheDoor(world, {
        path: plain,
        headers: { 'REST-Range': 'resources=100-200' },
      })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['rest-content-range'], 'resources=100-200/1050')
      assert.match(String(answer.headers['longshore-warning']), /_sort/)
      assert.ok(answer.body.equals(renderPage(sourceDocuments(world, 'CL').slice(100, 200), 'compact')))
    },
  },
  {
    name: 'a scroll through the door brings every document, byte for byte, and then the empty end',
    async run(world) {
      const documents = sourceDocuments(world, 'CL')
      let path = '/api/dataentities/CL/scroll?_size=500'
      for (let from = 0; from < documents.length; from += 500) {
        const { request, answer } = await throughTheDoor(world, { path })
        assertSentUp(request, { method: 'GET', url: path, body: '' })
        assert.equal(answer.status, 200)
        if (from === 0) assert.equal(answer.headers['rest-content-total'], '1050')
        const page = renderPage(documents.slice(from, from + 500), 'compact')
        assert.ok(answer.body.equals(page), `the page from ${from} on differs`)
        const token = String(answer.headers['x-svc-md-token'])
        path = `/api/dataentities/CL/scroll?_token=${encodeURIComponent(token)}`
      }
      const { answer } = await throughTheDoor(world, { path })
      assert.deepEqual({ status: answer.status, bytes: answer.body.length }, { status: 200, bytes: 0 })
    },
  },
  {
    name: 'an error of the platform comes down with its status, its body and no header but the listed ones',
    async run(world) {
      const body = '{ "error" : { "code":"x" } }'
      const headers = {
        'Content-Type': 'application/vnd.error+json',
        'Set-Cookie': 'a=b',
        // Longer than a caller waits, so that it is not waited for.
        'Retry-After': '120',
        'X-Powered-By': 'y',
      }
      world.platform.faults.add({
        match: onPatch('s1'),
        fault: { kind: 'status', status: 429, headers, body },
        times: Infinity,
      })
      const {
        status,
        headers: given,
        body: got,
      } = await world.callApi({
        method: 'PATCH',
        path: '/api/rns/subscriptions/s1',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(status, 429)
      assert.equal(got.toString(), body)
      assert.equal(given['content-type'], headers['Content-Type'])
      assert.equal(given['retry-after'], '120')
      const listed = ['content-type', 'retry-after']
      const ofTheGateway = ['date', 'content-length', 'connection', 'apigw-requestid', 'server', 'keep-alive']
      assert.deepEqual(
        Object.keys(given).filter((name) => ![...listed, ...ofTheGateway].includes(name)),
        [],
      )
    },
  },
  {
    name: 'a redirect of the platform is neither followed nor passed on',
    async run(world) {
      const location = `${world.platform.url}/elsewhere`
      world.platform.faults.add({ match: onDock(), fault: { kind: 'redirect', location }, times: Infinity })
      const answer = await world.callApi({ path: '/api/logistics/pvt/configuration/docks/d%201%C3%A9' })
      assert.equal(answer.status, 502)
      assert.equal(answer.json.type, 'urn:longshore:problem:upstream-redirect')
      assert.equal(answer.headers['location'], undefined)
      assert.ok(!answer.body.includes(location))
      assert.ok(!world.platform.requests.some(({ url }) => url === '/elsewhere'))
    },
  },
  {
    name: 'the README’s calls with curl work as they stand',
    async run(world) {
      const { caller, deployment, emulator, platform } = world
      const curl = (...words: string[]) =>
        world.run({
          file: 'bash',
          arguments: ['-c', readmeCall, 'call', ...words],
          environment: {
            ...emulator.environment,
            AWS_ACCESS_KEY_ID: caller.accessKeyId,
            AWS_SECRET_ACCESS_KEY: caller.secretAccessKey,
            CURL_OPTIONS: `--silent --show-error --connect-to ::127.0.0.1: --cacert ${emulator.environment['AWS_CA_BUNDLE']}`,
          },
          timeoutSeconds: 40,
        })
      platform.docks.set('1', Buffer.from('{"id":"1"}'))
      platform.subscriptions.set('42', { status: 'PAUSED' })
      const url = deployment.apiUrl
      assert.equal(await curl(`${url}/api/logistics/pvt/configuration/docks/1`), '{"id":"1"}')
      const patch = ['-X', 'PATCH', '-H', 'Content-Type: application/json', '-d', '{"status":"ACTIVE"}']
      await curl(...patch, `${url}/api/rns/subscriptions/42`)
      assert.equal(platform.subscriptions.get('42')?.['status'], 'ACTIVE')
      const range = ['-H', 'REST-Range: resources=0-100']
      const found = await curl(...range, `${url}/api/dataentities/CL/search?_sort=id%20ASC`)
      assert.equal(JSON.parse(found).length, 100, found.slice(0, 300))
      const scrolled = await curl('-i', `${url}/api/dataentities/CL/scroll?_size=1000`)
      assert.match(scrolled, /^x-svc-md-token: /im)
      const started = await curl(`${url}/syncs`)
      assert.equal(JSON.parse(started).entities.length > 0, true)
    },
  },
]

/** The function of the README, with what only this machine needs. */
const readmeCall = `
call() { curl $CURL_OPTIONS --aws-sigv4 "aws:amz:$AWS_REGION:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \\
  -H "x-amz-security-token: $AWS_SESSION_TOKEN" "$@"; }
call "$@"`

/** Sends one call through the API and finds the one request that it became. */
async function throughTheDoor(world: World, request: ApiRequest) {
  const { platform } = world
  const before = platform.requests.length
  const answer = await world.callApi(request)
  const received = platform.requests.slice(before).filter(({ name }) => name !== 'Scheduled')
  assert.equal(
    received.length,
    1,
    `${received.length} requests went up; the answer: ${answer.body.toString().slice(0, 500)}`,
  )
  return { answer, request: received[0] as ReceivedRequest }
}

function assertSentUp(
  request: ReceivedRequest,
  expected: { method: string; url: string; body: string; contentType?: string; range?: string },
): void {
  const {
    host,
    connection,
    'user-agent': userAgent,
    'accept-encoding': _encoding,
    ...headers
  } = request.headers
  assert.equal(request.method, expected.method)
  assert.equal(request.url, expected.url)
  assert.equal(request.body.toString(), expected.body)
  assert.match(String(host), /^127\.0\.0\.1:\d+$/)
  assert.match(String(userAgent), /^Longshore\//)
  assert.ok(connection === undefined || connection === 'keep-alive')
  assert.deepEqual(headers, {
    accept: 'application/json',
    'content-type': expected.contentType ?? 'application/json',
    'x-svc-api-appkey': localCredentials.appKey,
    'x-svc-api-apptoken': localCredentials.appToken,
    ...(expected.range && { 'rest-range': expected.range }),
    ...(expected.body && { 'content-length': String(Buffer.byteLength(expected.body)) }),
  })
}
