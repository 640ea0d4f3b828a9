import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Area } from '../platform/areas.ts'
import { clientLimits } from '../runtime/client-limits.ts'
import { environment, required } from '../runtime/settings.ts'
import { type CacheOptions, type CredentialsSource, cacheCredentials } from './credential-cache.ts'

/** The platform's credentials from Secrets Manager. The environment names the secret of each area. */
export function credentialsFromSecretsManager(
  areas: readonly Area[],
  waiting: Pick<CacheOptions, 'sleep'> = {},
): CredentialsSource {
  const client = new SecretsManagerClient(clientLimits.secrets)
  return cacheCredentials({
    ...waiting,
    secretIds: Object.fromEntries(areas.map((area) => [area, required(environment.credentials[area])])),
    read: async (secretId) => {
      const secret = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
      return { value: secret.SecretString, version: secret.VersionId ?? '' }
    },
  })
}
