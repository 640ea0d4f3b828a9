import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { onTestFinished } from 'vitest'
import { AwsError, serveAwsJson } from '../../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import { createSecrets } from '../../../local/embedded/secrets-manager.ts'
import { createSecretStore, type KeyAndToken } from '../../../operator/aws/secrets.aws.ts'

const move = 'secretsmanager.UpdateSecretVersionStage'

/** What the embedded service stores: the value at AWSCURRENT, and the stages of all versions. */
export const storedIn = (secrets: ReturnType<typeof createSecrets>, SecretId: string) => ({
  current: () => secrets['secretsmanager.GetSecretValue']({ SecretId }).SecretString,
  stages: () =>
    Object.values(secrets['secretsmanager.DescribeSecret']({ SecretId }).VersionIdsToStages)
      .flat()
      .toSorted(),
})

/** The secret `shop` with these credentials until the test ends, in an account that refuses to move the stage `refused`. */
export async function serveSecret(value: KeyAndToken, { refused }: { readonly refused?: string } = {}) {
  const secrets = createSecrets({ shop: JSON.stringify(value) })
  const served = await serveAwsJson({
    ...secrets,
    [move]: (input) => {
      if (input.VersionStage === refused) throw new AwsError('AccessDeniedException', 'Not allowed.')
      return secrets[move](input)
    },
  })
  onTestFinished(() => served.close())
  const client = new SecretsManagerClient({ ...clientSettings, endpoint: served.endpoint })
  const { current, stages } = storedIn(secrets, 'shop')
  return { store: createSecretStore(client), current: () => JSON.parse(current()), stages }
}
