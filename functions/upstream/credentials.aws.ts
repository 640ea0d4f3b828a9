import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { type Area, areas as builtIn, isBuiltIn } from '../platform/areas.ts'
import { clientLimits } from '../runtime/client-limits.ts'
import { environment, required } from '../runtime/environment.ts'
import { type CacheOptions, type CredentialsSource, cacheCredentials } from './credential-cache.ts'

/** The platform's credentials from Secrets Manager. `own` names the secret of each area that does not share one. */
export function credentialsFromSecretsManager(
  areas: readonly Area[],
  own: Readonly<Record<Area, string>>,
  waiting: Pick<CacheOptions, 'sleep'> = {},
): CredentialsSource {
  const client = new SecretsManagerClient(clientLimits.secrets)
  return cacheCredentials({
    ...waiting,
    secretIds: Object.fromEntries(areas.map((area) => [area, idOf(area, own)])),
    read: async (secretId) => {
      const secret = await client.send(new GetSecretValueCommand({ SecretId: secretId }))
      return { value: secret.SecretString, version: secret.VersionId ?? '' }
    },
  })
}

/** The environment has the secrets of the built-in areas. All its variables share 4 KB, too little for every area. */
function idOf(area: Area, own: Readonly<Record<Area, string>>): string {
  const shared = builtIn.find((each) => own[each] === undefined) ?? 'documents'
  return own[area] ?? required(environment.credentials[isBuiltIn(area) ? area : shared])
}
