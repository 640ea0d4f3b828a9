import https from 'node:https'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { readSettings } from '../../functions/runtime/environment.ts'

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

const transports = { 'https:': https, 'http:': process.getBuiltinModule('node:http') }

/** Forwards one call and returns the response for Lambda, without any error handling. */
async function relayed(address: string, headers: Record<string, string>) {
  const url = new URL(address)
  const transport = url.protocol === 'https:' ? transports['https:'] : transports['http:']
  return new Promise((resolve, reject) => {
    const request = transport.get(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ statusCode: response.statusCode, body: Buffer.concat(chunks).toString() }),
      )
    })
    request.on('error', reject)
  })
}
