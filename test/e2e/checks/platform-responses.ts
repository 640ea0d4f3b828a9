import assert from 'node:assert/strict'
import { onDock, onPatch } from '../../stand-in-faults.ts'
import type { Check } from '../check.ts'

/** What callers get when the platform returns anything but 200. */
export const platformResponseChecks: Check[] = [
  {
    name: 'an error of the platform is returned with its status, its body and only the listed headers',
    async run(context) {
      const body = '{ "error" : { "code":"x" } }'
      const headers = {
        'Content-Type': 'application/vnd.error+json',
        'Set-Cookie': 'a=b',
        // Longer than a caller waits, so the proxy must not wait for it.
        'Retry-After': '120',
        'X-Powered-By': 'y',
      }
      context.platform.faults.add({
        match: onPatch('s1'),
        fault: { kind: 'status', status: 429, headers, body },
        times: Infinity,
      })
      const {
        status,
        headers: given,
        body: got,
      } = await context.callApi({
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
    name: 'a redirect of the platform is neither followed nor returned',
    async run(context) {
      const location = `${context.platform.url}/elsewhere`
      context.platform.faults.add({ match: onDock(), fault: { kind: 'redirect', location }, times: Infinity })
      const response = await context.callApi({ path: '/api/logistics/pvt/configuration/docks/d%201%C3%A9' })
      assert.equal(response.status, 502)
      assert.equal(response.json.type, 'urn:longshore:problem:upstream-redirect')
      assert.equal(response.headers['location'], undefined)
      assert.ok(!response.body.includes(location))
      assert.ok(!context.platform.requests.some(({ url }) => url === '/elsewhere'))
    },
  },
]
