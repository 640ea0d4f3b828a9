import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { AwsError, account, type Operations, region } from '../../local/embedded/aws-json-server.ts'
import { listen, type Served } from '../../local/embedded/listen.ts'

/** Serves CloudFormation's DescribeStacks, which the command line reads stack outputs with. */
export function serveStacks(stacks: Readonly<Record<string, Record<string, string>>>): Promise<Served> {
  const member = ([key, value]: [string, string]) =>
    `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`
  const describeStack = (name: string | null) => {
    // Without a name, DescribeStacks describes every stack of the account.
    const [stackName = ''] = name === null ? Object.keys(stacks) : [name]
    const outputs = stacks[stackName]
    if (!outputs) {
      const error = `<Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`
      return { status: 400, body: `<ErrorResponse><Error>${error}</Error></ErrorResponse>` }
    }
    const stack =
      `<StackName>${stackName}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>` +
      `<StackId>arn:aws:cloudformation:${region}:${account}:stack/${stackName}/1</StackId>` +
      `<Outputs>${Object.entries(outputs).map(member).join('')}</Outputs>`
    const result = `<DescribeStacksResult><Stacks><member>${stack}</member></Stacks></DescribeStacksResult>`
    return { status: 200, body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` }
  }
  return listen(
    createServer((request, response) => {
      const responded = text(request).then((form) => {
        const { status, body } = describeStack(new URLSearchParams(form).get('StackName'))
        response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body)
      })
      responded.catch(() => response.destroy())
    }),
  )
}

interface Version {
  readonly value: string
  readonly stages: Set<string>
}

/** One secret in Secrets Manager, with its versions and their stages. */
export function createStagedSecret(name: string, value: string) {
  const versions = new Map<string, Version>([[randomUUID(), { value, stages: new Set(['AWSCURRENT']) }]])
  const versionAt = (stage: string) => [...versions].find(([, { stages }]) => stages.has(stage))
  const moveTo = (stage: string, id: string) => {
    versionAt(stage)?.[1].stages.delete(stage)
    versions.get(id)?.stages.add(stage)
  }
  const requireSecret = (id: string) => {
    if (id !== name) throw new AwsError('ResourceNotFoundException', 'The secret does not exist.')
  }
  const operations: Operations = {
    'secretsmanager.DescribeSecret': ({ SecretId }) => {
      requireSecret(SecretId)
      const stages = [...versions].map(([id, version]) => [id, [...version.stages]])
      return { Name: name, VersionIdsToStages: Object.fromEntries(stages) }
    },
    'secretsmanager.GetSecretValue': ({ SecretId, VersionId }) => {
      requireSecret(SecretId)
      const id = VersionId ?? versionAt('AWSCURRENT')?.[0]
      return { Name: name, VersionId: id, SecretString: versions.get(id)?.value }
    },
    'secretsmanager.PutSecretValue': ({ SecretId, SecretString, VersionStages }) => {
      requireSecret(SecretId)
      const id = randomUUID()
      versions.set(id, { value: SecretString, stages: new Set() })
      for (const stage of VersionStages ?? ['AWSCURRENT']) moveTo(stage, id)
      return { Name: name, VersionId: id }
    },
    'secretsmanager.UpdateSecretVersionStage': (input) => {
      requireSecret(input.SecretId)
      const current = versionAt(input.VersionStage)?.[0]
      if (current !== input.RemoveFromVersionId && (current || input.RemoveFromVersionId)) {
        throw new AwsError('InvalidParameterException', 'The stage is attached to another version.')
      }
      if (input.MoveToVersionId) moveTo(input.VersionStage, input.MoveToVersionId)
      else versions.get(current ?? '')?.stages.delete(input.VersionStage)
      return { Name: name }
    },
  }
  return {
    operations,
    current: () => versionAt('AWSCURRENT')?.[1].value,
    /** The stages of all versions. */
    stages: () => [...versions.values()].flatMap(({ stages }) => [...stages]).toSorted(),
  }
}
