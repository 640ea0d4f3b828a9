import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Area } from '../platform/areas.ts'
import { environment, required } from '../runtime/settings.ts'
import { type CacheOptions, type CredentialsSource, cacheCredentials } from './credential-cache.ts'

/**
 * The platform's keys as Secrets Manager holds them, for the areas that a function speaks to. Which secret serves
 * which area stands in the environment.
 */
export function credentialsFromSecretsManager(
  areas: readonly Area[],
  options: Pick<CacheOptions, 'renewalIntervalMs'> = {},
): CredentialsSource {
  const client = new SecretsManagerClient({
    // Together less than a caller waits: two tries of 4 seconds at most.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  })
  return cacheCredentials({
    ...options,
    secretIds: Object.fromEntries(areas.map((area) => [area, required(environment.credentials[area])])),
    read: async (secretId) => {
      const secret = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
      return { value: secret.SecretString, version: secret.VersionId ?? '' }
    },
  })
}
