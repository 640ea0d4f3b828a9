import assert from 'node:assert/strict'
import { onDock, onPatch } from '../../../local/platform/faults.ts'
import type { Check } from '../check.ts'

/** What comes down when the platform does not just answer 200. */
export const platformAnswerChecks: Check[] = [
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
]
