import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { expect, it } from 'vitest'
import { environment, required } from '../../functions/runtime/environment.ts'
import { builtFunction } from '../../local/built-function.ts'
import { invoke } from '../../local/lambda.ts'
import { useStandInBundle } from '../integration/stand-in-bundle.ts'

const platform = useStandInBundle()

it('a run that starts right after another was rejected waits for newer credentials and publishes', async () => {
  const newer = { appKey: 'newer-key', appToken: 'newer-token' }
  const run = () => invoke(builtFunction('worker'), { entity: 'CL' }, 300)
  platform().credentials.splice(0, 1, newer)
  expect(await run()).toMatchObject({ status: 'failed', reason: expect.stringContaining('401') as string })
  const SecretId = required(environment.credentials.documents)
  const SecretString = JSON.stringify(newer)
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }))
  expect(await run()).toMatchObject({ status: 'published', proof: 'exact' })
})
