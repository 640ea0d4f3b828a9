import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { environment, required } from '../../functions/runtime/settings.ts'
import { resolveConfig } from '../../lib/config.ts'
import { type Bundle, builtFunction } from '../../local/bundle.ts'
import { invoke } from '../../local/lambda.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { startStandInBundle } from './stand-in-bundle.ts'

let platform: Platform
let bundle: Bundle
beforeAll(async () => {
  platform = await startPlatform({ documents: { CL: makeDocuments(50) } })
  const entities = [{ name: 'CL', schedule: 'rate(1 day)' }]
  const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, entities })
  bundle = await startStandInBundle(configuration, platform)
})
afterAll(async () => {
  await bundle?.close('delete-log')
  await platform?.close()
})

it('a run that starts right after another was rejected waits for newer credentials and publishes', async () => {
  const newer = { appKey: 'newer-key', appToken: 'newer-token' }
  const run = () => invoke(builtFunction('worker'), { entity: 'CL' }, 300)
  platform.credentials.splice(0, 1, newer)
  expect(await run()).toMatchObject({ status: 'failed', reason: expect.stringContaining('401') as string })
  const SecretId = required(environment.credentials.documents)
  const SecretString = JSON.stringify(newer)
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }))
  expect(await run()).toMatchObject({ status: 'published', proof: 'exact' })
})
