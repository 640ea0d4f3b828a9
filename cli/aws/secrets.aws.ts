import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager'
import type { Area } from '../../functions/platform/areas.ts'
import { type CredentialsSource, cacheCredentials } from '../../functions/upstream/credential-cache.ts'
import type { Keys } from '../shell/prompt-credentials.ts'

/** Holds keys that are being tried. The functions read only AWSCURRENT. */
const candidate = 'LONGSHORE_CANDIDATE'
const current = 'AWSCURRENT'

export type SecretStore = ReturnType<typeof createSecretStore>

export function createSecretStore(client = new SecretsManagerClient({})) {
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
      try {
        await client.send(new DescribeSecretCommand({ SecretId: secretId }))
        return true
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return false
        throw error
      }
    },

    /** The keys of the secrets as the platform's client wants them; of one certain version if that is given. */
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

    /** Writes a version that nobody uses yet, and returns its id. */
    async stage(secretId: string, { appKey, appToken }: Keys): Promise<string> {
      const { VersionId = '' } = await client.send(
        new PutSecretValueCommand({
          SecretId: secretId,
          SecretString: JSON.stringify({ appKey, appToken }),
          VersionStages: [candidate],
        }),
      )
      return VersionId
    },

    /** Makes a staged version the current one, in one step; AWS keeps the one before as AWSPREVIOUS. */
    async promote(secretId: string, version: string): Promise<void> {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: secretId }))
      const before = Object.keys(VersionIdsToStages).find((id) => VersionIdsToStages[id]?.includes(current))
      await move(secretId, current, { to: version, ...(before !== undefined && { from: before }) })
      // The keys are set; the label hurts nobody, and the next trial takes it along.
      await move(secretId, candidate, { from: version }).catch(() => {})
    },

    /** Drops a staged version: without a stage Secrets Manager deletes it by itself. */
    async drop(secretId: string, version: string): Promise<void> {
      await move(secretId, candidate, { from: version })
    },
  }
}
