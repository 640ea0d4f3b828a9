import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { localCredentials } from '../../../local/platform/platform.ts'
import { type Check, eventually } from '../check.ts'
import { executionEnd, startExecution } from '../executions.ts'
import type { World } from '../world.ts'

const path = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

/** How the bundle behaves until its owner has set the platform's keys. */
export const credentialsChecks: Check[] = [
  {
    name: 'before the keys are set, calls are answered 503 with what to do, and nothing goes up',
    async run({ callApi, platform }) {
      const { status, headers, json } = await callApi({ path })
      assert.equal(status, 503)
      assert.equal(headers['content-type'], 'application/problem+json')
      assert.equal(json.type, 'urn:longshore:problem:credentials-not-set')
      assert.match(json.detail, /aws secretsmanager put-secret-value/)
      assert.deepEqual(
        platform.requests.map(({ url }) => url),
        [],
      )
    },
  },
  {
    name: 'before the keys are set, a sync fails and says why',
    async run(world) {
      const { status, error, cause } = await executionEnd(
        world,
        await startExecution(world, { entity: 'By_Hand' }),
      )
      assert.deepEqual({ status, error }, { status: 'FAILED', error: 'SyncFailed' })
      assert.match(cause ?? '', /credentials are not set/i)
    },
  },
  {
    name: 'once the keys are set, calls work within 10 seconds',
    async run(world) {
      await putKeys(world)
      const setAt = Date.now()
      await eventually('a dock is read', async () => {
        const { status } = await world.callApi({ path })
        return status === 200 ? true : undefined
      })
      const seconds = (Date.now() - setAt) / 1000
      assert.ok(seconds <= 10.5, `it took ${seconds} s`)
      // Whoever else has read the placeholder may believe it for as long: the worker, for one.
      await sleep(setAt + 10_000 - Date.now())
    },
  },
]

async function putKeys({ secrets, deployment }: World): Promise<void> {
  const { appKey, appToken } = localCredentials
  await secrets.send(
    new PutSecretValueCommand({
      SecretId: deployment.secretArn,
      SecretString: JSON.stringify({ appKey, appToken }),
    }),
  )
}
