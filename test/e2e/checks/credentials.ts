import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { localCredentials } from '../../../local/stand-in/platform.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, startExecution } from '../executions.ts'

const path = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

/** How the bundle behaves until the credentials are set. */
export const credentialsChecks: Check[] = [
  {
    name: 'before the credentials are set, calls receive 503 and how to set them, and nothing reaches the platform',
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
    name: 'before the credentials are set, a sync is skipped with the reason',
    async run(context) {
      const { status, output = '' } = await executionEnd(
        context,
        await startExecution(context, { entity: 'By_Hand' }),
      )
      assert.equal(status, 'SUCCEEDED')
      assert.match(output, /"skipped"/)
      assert.match(output, /credentials are not set/i)
    },
  },
  {
    name: 'calls succeed within 10 seconds after the credentials are set',
    async run(context) {
      await putKeys(context)
      const setAt = Date.now()
      await eventually('a dock is read', async () => {
        const { status } = await context.callApi({ path })
        return status === 200 ? true : undefined
      })
      const seconds = (Date.now() - setAt) / 1000
      assert.ok(seconds <= 10.5, `it took ${seconds} s`)
      // Other functions, such as the worker, may cache the placeholder for as long.
      await sleep(setAt + 10_000 - Date.now())
    },
  },
]

/** Sets the credentials of a deployment. */
export async function putKeys({ secrets, deployment }: CheckContext): Promise<void> {
  const { appKey, appToken } = localCredentials
  await secrets.send(
    new PutSecretValueCommand({
      SecretId: deployment.secretArn,
      SecretString: JSON.stringify({ appKey, appToken }),
    }),
  )
}
