import { randomUUID } from 'node:crypto'
import { AwsError, type AwsInput, account, type Operations, region } from './aws-json-server.ts'

interface Version {
  readonly value: string
  readonly createdSeconds: number
  readonly stages: Set<string>
}

/** Versions by id, in the order of their creation. */
type SecretVersions = Map<string, Version>

const current = 'AWSCURRENT'
const previous = 'AWSPREVIOUS'

/** Secrets Manager: versions are found by their id or by a stage, which is attached to one version at most. */
export function createSecrets(initial: Readonly<Record<string, string>>) {
  const secrets = new Map<string, SecretVersions>()

  function put(
    name: string,
    value: string,
    { id, stages }: { readonly id: string; readonly stages: readonly string[] },
  ): void {
    const versions: SecretVersions = secrets.get(name) ?? new Map<string, Version>()
    secrets.set(name, versions)
    // On AWS the same ClientRequestToken is the same version.
    if (versions.has(id)) return
    versions.set(id, { value, createdSeconds: Date.now() / 1000, stages: new Set() })
    for (const stage of stages) attach(versions, stage, id)
  }

  function find(secretId: string) {
    const name = [...secrets.keys()].find((each) => each === secretId || arnOf(each) === secretId)
    const versions = name === undefined ? undefined : secrets.get(name)
    if (name !== undefined && versions) return { names: { ARN: arnOf(name), Name: name }, name, versions }
    throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
  }

  for (const [name, value] of Object.entries(initial))
    put(name, value, { id: randomUUID(), stages: [current] })

  return {
    'secretsmanager.GetSecretValue': ({ SecretId, VersionId, VersionStage = current }: AwsInput) => {
      const { names, versions } = find(SecretId)
      const id = VersionId ?? idAt(versions, VersionStage)?.[0]
      const version = id === undefined ? undefined : versions.get(id)
      if (!version) {
        const message = `Secrets Manager can't find ${VersionId ?? VersionStage} of the secret.`
        throw new AwsError('ResourceNotFoundException', message)
      }
      return {
        ...names,
        SecretString: version.value,
        VersionId: id,
        VersionStages: [...version.stages],
        CreatedDate: version.createdSeconds,
      }
    },
    'secretsmanager.PutSecretValue': ({ SecretId, SecretString, ...input }: AwsInput) => {
      const { ClientRequestToken: id = randomUUID(), VersionStages: stages = [current] } = input
      const { names, name } = find(SecretId)
      put(name, SecretString, { id, stages })
      return { ...names, VersionId: id, VersionStages: stages }
    },
    'secretsmanager.DescribeSecret': ({ SecretId }: AwsInput) => {
      const { names, versions } = find(SecretId)
      const staged = [...versions].filter(([, { stages }]) => stages.size > 0)
      const VersionIdsToStages = Object.fromEntries(staged.map(([id, { stages }]) => [id, [...stages]]))
      return { ...names, VersionIdsToStages }
    },
    'secretsmanager.UpdateSecretVersionStage': (input: AwsInput) => {
      const { names, versions } = find(input.SecretId)
      const holder = idAt(versions, input.VersionStage)?.[0]
      if (holder !== input.RemoveFromVersionId && (holder ?? input.RemoveFromVersionId)) {
        throw new AwsError('InvalidParameterException', 'The stage is attached to another version.')
      }
      if (input.MoveToVersionId) attach(versions, input.VersionStage, input.MoveToVersionId)
      else versions.get(holder ?? '')?.stages.delete(input.VersionStage)
      return names
    },
  } satisfies Operations
}

const arnOf = (name: string) => `arn:aws:secretsmanager:${region}:${account}:secret:${name}-local1`

const idAt = (versions: SecretVersions, stage: string): [string, Version] | undefined =>
  [...versions].find(([, { stages }]) => stages.has(stage))

/** Moves a stage to a version. The version that loses AWSCURRENT becomes AWSPREVIOUS, as on AWS. */
function attach(versions: SecretVersions, stage: string, id: string): void {
  const [formerId, former] = idAt(versions, stage) ?? []
  former?.stages.delete(stage)
  versions.get(id)?.stages.add(stage)
  if (stage === current && formerId !== undefined) attach(versions, previous, formerId)
}
