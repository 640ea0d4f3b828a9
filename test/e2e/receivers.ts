import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { type AlertType, alertTypes } from '../../functions/runtime/settings.ts'
import { type AlertReceiver, startAlertReceiver } from '../alert-receiver.ts'
import type { CleanUp } from '../clean-up.ts'
import { type Emulator, region, rootCredentials } from './emulator.ts'

export type Receivers = Readonly<Record<AlertType, AlertReceiver>>

export const alertSecretOf = (type: AlertType) => `e2e/${type}`

/** Only the webhook receives notes. */
export const alerts = alertTypes.map((type) => ({
  type,
  url: alertSecretOf(type),
  notes: type === 'webhook',
}))

/** A local server for each type of alert, and the secret with its address, which an operator creates before deploying. */
export async function startReceivers(emulator: Emulator, cleanUp: CleanUp): Promise<Receivers> {
  const client = new SecretsManagerClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  const started = await Promise.all(
    alertTypes.map(async (type) => {
      const receiver = await startAlertReceiver()
      cleanUp.add(() => receiver.close())
      const secret = { Name: alertSecretOf(type), SecretString: JSON.stringify({ url: receiver.address }) }
      await client.send(new CreateSecretCommand(secret))
      return [type, receiver] as const
    }),
  )
  client.destroy()
  return Object.fromEntries(started) as Receivers
}
