import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { readSettings } from '../../functions/runtime/environment.ts'
import { relayed } from './relayed.ts'

/** The smallest proxy with the SDK: reads the secret during initialization, forwards the call and returns the response. */
const { baseUrl } = readSettings().upstream
const secret = new SecretsManagerClient({}).send(
  new GetSecretValueCommand({ SecretId: process.env['CREDENTIALS_SECRET_LOGISTICS'] }),
)

export async function handler(event: { rawPath: string }) {
  const { appKey, appToken } = JSON.parse((await secret).SecretString ?? '') as Record<string, string>
  return relayed(`${baseUrl}${event.rawPath}`, {
    'X-SVC-API-AppKey': appKey ?? '',
    'X-SVC-API-AppToken': appToken ?? '',
  })
}
