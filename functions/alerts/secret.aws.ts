import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { clientLimits } from '../runtime/client-limits.ts'

/** Reads the current value of a secret each time. */
export function createSecretReader() {
  const client = new SecretsManagerClient(clientLimits.secrets)
  return async (secretId: string): Promise<string | undefined> =>
    (await client.send(new GetSecretValueCommand({ SecretId: secretId }))).SecretString
}
