import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import type { Area } from '../../functions/platform/areas.ts'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { type CredentialsSource, cacheCredentials } from '../../functions/upstream/credential-cache.ts'
import { awsClients } from './clients.aws.ts'

/** Stage of a version that is being checked. The functions read only AWSCURRENT. */
const candidate = 'LONGSHORE_CANDIDATE'
const current = 'AWSCURRENT'

export interface KeyAndToken {
  readonly appKey: string
  readonly appToken: string
}

export type SecretStore = ReturnType<typeof createSecretStore>

export function createSecretStore(client = awsClients.secrets()) {
  async function move(secretId: string, stage: string, versions: { from?: string; to?: string }) {
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId: secretId,
        VersionStage: stage,
        ...(versions.from !== undefined && { RemoveFromVersionId: versions.from }),
        ...(versions.to !== undefined && { MoveToVersionId: versions.to }),
      }),
    )
  }

  return {
    async exists(secretId: string): Promise<boolean> {
      const command = new DescribeSecretCommand({ SecretId: secretId })
      return (await client.send(command).catch(absentIf(ResourceNotFoundException))) !== undefined
    },

    /** Whether the value was replaced since the secret was created. Needs no right to read the value. */
    async wasReplaced(secretId: string): Promise<boolean> {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: secretId }))
      return Object.values(VersionIdsToStages).flat().includes('AWSPREVIOUS')
    },

    /** The current value; undefined if there is no such secret. */
    async value(secretId: string): Promise<string | undefined> {
      const command = new GetSecretValueCommand({ SecretId: secretId })
      const got = await client.send(command).catch(absentIf(ResourceNotFoundException))
      return got && (got.SecretString ?? '')
    },

    /** The credentials in the secrets, for the platform's client: of `version`, or else the current ones. */
    credentials(secretIds: Partial<Record<Area, string>>, version?: string): CredentialsSource {
      return cacheCredentials({
        secretIds,
        read: async (SecretId) => {
          const command = new GetSecretValueCommand({ SecretId, ...(version && { VersionId: version }) })
          const secret = await client.send(command)
          return { value: secret.SecretString, version: secret.VersionId ?? '' }
        },
      })
    },

    /** Writes a version that no function reads, and returns its id. */
    async stage(secretId: string, { appKey, appToken }: KeyAndToken): Promise<string> {
      const { VersionId = '' } = await client.send(
        new PutSecretValueCommand({
          SecretId: secretId,
          SecretString: JSON.stringify({ appKey, appToken }),
          VersionStages: [candidate],
        }),
      )
      return VersionId
    },

    /** Makes a staged version the current one, in one step. AWS keeps the former one as AWSPREVIOUS. */
    async promote(secretId: string, version: string): Promise<void> {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: secretId }))
      const former = Object.keys(VersionIdsToStages).find((id) => VersionIdsToStages[id]?.includes(current))
      await move(secretId, current, { to: version, ...(former !== undefined && { from: former }) })
      // The credentials are set. A leftover stage does no harm, and the next check moves it.
      await move(secretId, candidate, { from: version }).catch(() => {})
    },

    /** Drops a staged version. Secrets Manager deletes versions without a stage. */
    async drop(secretId: string, version: string): Promise<void> {
      await move(secretId, candidate, { from: version })
    },
  }
}
