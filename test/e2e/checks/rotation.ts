import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { onScroll } from '../../../local/stand-in/faults.ts'
import type { ReceivedRequest } from '../../../local/stand-in/received-request.ts'
import { type Check, eventually } from '../check.ts'
import type { ApiRequest, CheckContext } from '../context.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { assertWholeSnapshot } from '../snapshot-proof.ts'

/** The new credentials. No log or response may contain them. */
export const rotatedCredentials = {
  appKey: 'canary-app-key-7d1f0b',
  appToken: 'canary-app-token-b3c85e',
}

const traffic: readonly ApiRequest[] = [
  { path: '/api/logistics/pvt/configuration/docks/d%201%C3%A9' },
  {
    method: 'PATCH',
    path: '/api/rns/subscriptions/rotating',
    headers: { 'content-type': 'application/json' },
    body: '{"status":"ACTIVE"}',
  },
  { path: '/api/dataentities/CL/search?_sort=id%20ASC' },
]

export const rotationChecks: Check[] = [
  {
    name: 'credentials are rotated under traffic, and no call and no sync fails when the old ones stop working',
    async run(context) {
      const { platform, secrets, deployment } = context
      platform.subscriptions.set('rotating', {})
      const slow = { kind: 'slow', beforeHeadersMs: 1_000 } as const
      platform.faults.add({ match: onScroll({ entity: 'CL' }), fault: slow, times: Infinity })
      const from = platform.requests.length
      const sent = (keep: (request: ReceivedRequest) => boolean) => platform.requests.slice(from).filter(keep)
      await using calls = startTraffic(context)
      const executionArn = await startExecution(context, { entity: 'CL' })
      await eventually('the sync scrolls', () => sent(isScroll).length > 1 || undefined)

      const [old] = platform.credentials
      platform.credentials.push(rotatedCredentials)
      const SecretString = JSON.stringify(rotatedCredentials)
      await secrets.send(new PutSecretValueCommand({ SecretId: deployment.secretArn, SecretString }))
      await sleep(500)
      platform.credentials.splice(0, platform.credentials.length, rotatedCredentials)
      const stoppedAt = Date.now()
      const kinds = ['dock', 'subscription', 'search', 'scroll']
      await eventually('every kind of call goes up with the new pair', () => {
        const withNew = sent(({ headers }) => headers['x-svc-api-appkey'] === rotatedCredentials.appKey)
        return kinds.every((kind) => withNew.some((request) => request.kind === kind)) || undefined
      })
      await eventually('20 calls more', () => calls.since(stoppedAt) > 20 || undefined)

      const responses = await calls.stop()
      const failed = responses.filter(({ status }) => status !== 200)
      assert.deepEqual(failed, [], `${failed.length} of ${responses.length} calls failed`)
      const rejected = sent(({ status }) => status === 401)
      assert.ok(rejected.length > 0, 'the old credentials were never rejected, so the check proves nothing')
      assert.ok(rejected.every(({ headers }) => headers['x-svc-api-appkey'] === old?.appKey))
      const patches = sent(({ kind, status }) => kind === 'subscription' && status === 200)
      assert.equal(patches.length, responses.filter(({ method }) => method === 'PATCH').length)

      const end = await executionEnd(context, executionArn)
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const { manifest } = await assertWholeSnapshot(context, 'CL', outputOf(end).runId ?? '')
      assert.equal(manifest.attempts, 1)
    },
  },
]

const isScroll = ({ kind }: ReceivedRequest) => kind === 'scroll'

interface Responded {
  readonly method: string
  readonly status: number
  readonly at: number
  readonly body: string
}

/** Repeats each request one after the other, all requests in parallel. */
function startTraffic(context: CheckContext) {
  const responses: Responded[] = []
  let going = true
  const loops = traffic.map(async (request) => {
    while (going) {
      const { status, body } = await context.callApi(request)
      const text = status === 200 ? '' : body.toString()
      responses.push({ method: request.method ?? 'GET', status, at: Date.now(), body: text })
      await sleep(20)
    }
  })
  const stop = async () => {
    going = false
    await Promise.all(loops)
    return responses
  }
  return {
    since: (time: number) => responses.filter(({ at }) => at > time).length,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}
