import { randomUUID } from 'node:crypto'
import { AwsError, account, type Operations, region } from './aws-json-server.ts'

export interface Secrets {
  readonly operations: Operations
  /** Creates the secret or a new version of it. Returns the version's id. */
  put(name: string, value: string): string
}

interface Secret {
  readonly name: string
  readonly arn: string
  readonly versions: Version[]
}

interface Version {
  readonly id: string
  readonly value: string
  readonly createdSeconds: number
}

/** Secrets Manager with two versions per secret: AWSCURRENT and AWSPREVIOUS. */
export function createSecrets(initial: Readonly<Record<string, string>> = {}): Secrets {
  const secrets = new Map<string, Secret>()

  function find(id: string): Secret {
    const secret = [...secrets.values()].find(({ name, arn }) => name === id || arn === id)
    if (!secret) {
      throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
    }
    return secret
  }

  function put(name: string, value: string, id: string = randomUUID()): string {
    const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-local1`
    const secret = secrets.get(name) ?? { name, arn, versions: [] }
    secrets.set(name, secret)
    // On AWS the same ClientRequestToken is the same version.
    if (!secret.versions.some((version) => version.id === id)) {
      secret.versions.unshift({ id, value, createdSeconds: Date.now() / 1000 })
    }
    return id
  }

  const stagesOf = (index: number) => [['AWSCURRENT'], ['AWSPREVIOUS']][index] ?? []

  for (const [name, value] of Object.entries(initial)) put(name, value)
  return {
    put: (name, value) => put(name, value),
    operations: {
      'secretsmanager.GetSecretValue': (input: {
        SecretId: string
        VersionId?: string
        VersionStage?: string
      }) => {
        const { name, arn, versions } = find(input.SecretId)
        const stage = input.VersionStage ?? 'AWSCURRENT'
        const index = input.VersionId
          ? versions.findIndex(({ id }) => id === input.VersionId)
          : versions.findIndex((_, at) => stagesOf(at).includes(stage))
        const version = versions[index]
        if (!version) {
          throw new AwsError(
            'ResourceNotFoundException',
            `Secrets Manager can't find ${stage} of the secret.`,
          )
        }
        return {
          ARN: arn,
          Name: name,
          SecretString: version.value,
          VersionId: version.id,
          VersionStages: stagesOf(index),
          CreatedDate: version.createdSeconds,
        }
      },
      'secretsmanager.PutSecretValue': (input: {
        SecretId: string
        SecretString: string
        ClientRequestToken?: string
      }) => {
        const { name, arn } = find(input.SecretId)
        const VersionId = put(name, input.SecretString, input.ClientRequestToken)
        return { ARN: arn, Name: name, VersionId, VersionStages: ['AWSCURRENT'] }
      },
      'secretsmanager.DescribeSecret': (input: { SecretId: string }) => {
        const { name, arn, versions } = find(input.SecretId)
        const VersionIdsToStages = Object.fromEntries(
          versions.slice(0, 2).map(({ id }, index) => [id, stagesOf(index)]),
        )
        return { ARN: arn, Name: name, VersionIdsToStages }
      },
    },
  }
}
