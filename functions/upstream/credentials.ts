import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { environment, required } from '../environment.ts'
import { type CredentialsSource, cacheCredentials } from './credential-cache.ts'

/** The platform's keys as Secrets Manager holds them; which secret serves which area stands in the environment. */
export function credentialsFromSecretsManager(): CredentialsSource {
  const client = new SecretsManagerClient({
    // Together less than a caller waits: two tries of 4 seconds at most.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  })
  return cacheCredentials({
    secretIds: {
      logistics: required(environment.credentials.logistics),
      subscriptions: required(environment.credentials.subscriptions),
      documents: required(environment.credentials.documents),
    },
    read: async (secretId) => {
      const secret = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
      return { value: secret.SecretString, version: secret.VersionId ?? '' }
    },
  })
}
