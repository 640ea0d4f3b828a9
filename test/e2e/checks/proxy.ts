import assert from 'node:assert/strict'
import { localCredentials } from '../../../local/stand-in/platform.ts'
import type { ReceivedRequest } from '../../../local/stand-in/received-request.ts'
import { renderPage } from '../../../local/stand-in/rendering.ts'
import type { Check } from '../check.ts'
import type { ApiRequest, CheckContext } from '../context.ts'
import { sourceDocuments } from '../snapshot-proof.ts'
import { dock } from '../upstream.ts'

/** Headers of a careless caller. None of them may be forwarded. */
const carelessHeaders = {
  'x-svc-api-appkey': 'of-the-caller',
  'X-SVC-API-AppToken': 'of-the-caller',
  cookie: 'session=of-the-caller',
  'x-forwarded-host': 'elsewhere.example',
  'x-anything': 'of-the-caller',
}

const groupBody =
  '{"item":[{"sku":{"id":"7"}, "quantity": 2}],\n "note":\t"Café \\u00e9 🌊", "amount": 10.100000000000000001 }\n'

/** Proxied endpoints: what the platform receives, and what is returned. */
export const proxyChecks: Check[] = [
  {
    name: 'a dock is read byte for byte, with our credentials and none of the caller’s headers',
    async run(context) {
      const path = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'
      const { request, response } = await throughProxy(context, { path, headers: carelessHeaders })
      assertSentUp(request, { method: 'GET', url: path, body: '' })
      assert.equal(response.status, 200)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.ok(response.body.equals(dock), response.body.toString())
    },
  },
  {
    name: 'a subscription group is patched with exactly the caller’s bytes',
    async run(context) {
      const path = '/api/rns/subscriptions-group/g1?an=my%20shop'
      const { request, response } = await throughProxy(context, {
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
      assert.equal(response.status, 200, response.body.toString())
      assert.equal(context.platform.groups.get('g1')?.item?.length, 1)
    },
  },
  {
    name: 'a PATCH with an Idempotency-Key takes effect once, however often it is sent',
    async run(context) {
      const request = {
        method: 'PATCH',
        path: '/api/rns/subscriptions-group/g1',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'e2e-1' },
        body: '{"item":[{"sku":{"id":"8"},"quantity":1}]}',
      }
      const { response: first } = await throughProxy(context, request)
      assert.deepEqual([first.status, first.headers['idempotency-replayed']], [200, undefined])
      const sent = context.platform.requests.filter(({ kind }) => kind === 'group').length
      const second = await context.callApi(request)
      assert.deepEqual([second.status, second.headers['idempotency-replayed']], [200, 'true'])
      assert.ok(second.body.equals(first.body))
      const other = await context.callApi({ ...request, body: '{}' })
      assert.equal(other.status, 422)
      assert.equal(context.platform.requests.filter(({ kind }) => kind === 'group').length, sent)
    },
  },
  {
    name: 'a search is forwarded with its range and its filters in order, and returns the content range',
    async run(context) {
      const path =
        '/api/dataentities/CL/search?_fields=id&isNewsletterOptIn=true&_sort=id%20ASC&email=a%40b.c&email=d'
      const { request } = await throughProxy(context, {
        path,
        headers: { 'REST-Range': 'resources=100-200' },
      })
      assertSentUp(request, { method: 'GET', url: path, body: '', range: 'resources=100-200' })

      const plain = '/api/dataentities/CL/search'
      const { response } = await throughProxy(context, {
        path: plain,
        headers: { 'REST-Range': 'resources=100-200' },
      })
      assert.equal(response.status, 200)
      assert.equal(response.headers['rest-content-range'], 'resources=100-200/1050')
      assert.match(String(response.headers['longshore-warning']), /_sort/)
      assert.ok(response.body.equals(renderPage(sourceDocuments(context, 'CL').slice(100, 200), 'compact')))
    },
  },
  {
    name: 'a scroll through the API proxy returns every document byte for byte, and then the empty end',
    async run(context) {
      const documents = sourceDocuments(context, 'CL')
      let path = '/api/dataentities/CL/scroll?_size=500'
      for (let from = 0; from < documents.length; from += 500) {
        const { request, response } = await throughProxy(context, { path })
        assertSentUp(request, { method: 'GET', url: path, body: '' })
        assert.equal(response.status, 200)
        if (from === 0) assert.equal(response.headers['rest-content-total'], '1050')
        const page = renderPage(documents.slice(from, from + 500), 'compact')
        assert.ok(response.body.equals(page), `the page at document ${from} differs`)
        const token = String(response.headers['x-svc-md-token'])
        path = `/api/dataentities/CL/scroll?_token=${encodeURIComponent(token)}`
      }
      const { response } = await throughProxy(context, { path })
      assert.deepEqual({ status: response.status, bytes: response.body.length }, { status: 200, bytes: 0 })
    },
  },
]

/** Sends one call through the API and returns the one request that the platform received. */
async function throughProxy(context: CheckContext, request: ApiRequest) {
  const { platform } = context
  const before = platform.requests.length
  const response = await context.callApi(request)
  const received = platform.requests.slice(before).filter(({ name }) => name !== 'Scheduled')
  assert.equal(
    received.length,
    1,
    `${received.length} requests went up; the response: ${response.body.toString().slice(0, 500)}`,
  )
  return { response, request: received[0] as ReceivedRequest }
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
    'cache-control': 'no-store',
    'content-type': expected.contentType ?? 'application/json',
    'x-svc-api-appkey': localCredentials.appKey,
    'x-svc-api-apptoken': localCredentials.appToken,
    ...(expected.range && { 'rest-range': expected.range }),
    ...(expected.body && { 'content-length': String(Buffer.byteLength(expected.body)) }),
  })
}
