import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { AwsError, type Operations } from '../../local/embedded/aws-json-server.ts'
import { listen, type Served } from '../../local/embedded/listen.ts'

/** CloudFormation, as far as the command line asks it for the outputs of stacks. */
export function serveStacks(stacks: Readonly<Record<string, Record<string, string>>>): Promise<Served> {
  const member = ([key, value]: [string, string]) =>
    `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`
  const answer = (name: string) => {
    const outputs = stacks[name]
    if (!outputs) {
      const error = `<Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`
      return { status: 400, body: `<ErrorResponse><Error>${error}</Error></ErrorResponse>` }
    }
    const stack =
      `<StackName>${name}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>` +
      `<Outputs>${Object.entries(outputs).map(member).join('')}</Outputs>`
    const result = `<DescribeStacksResult><Stacks><member>${stack}</member></Stacks></DescribeStacksResult>`
    return { status: 200, body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` }
  }
  return listen(
    createServer((request, response) => {
      const answered = text(request).then((asked) => {
        const { status, body } = answer(new URLSearchParams(asked).get('StackName') ?? '')
        response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body)
      })
      answered.catch(() => response.destroy())
    }),
  )
}

interface Version {
  readonly value: string
  readonly stages: Set<string>
}

/** One secret of Secrets Manager with all its versions and their stages. */
export function createStagedSecret(name: string, value: string) {
  const versions = new Map<string, Version>([[randomUUID(), { value, stages: new Set(['AWSCURRENT']) }]])
  const holding = (stage: string) => [...versions].find(([, { stages }]) => stages.has(stage))
  const moveTo = (stage: string, id: string) => {
    holding(stage)?.[1].stages.delete(stage)
    versions.get(id)?.stages.add(stage)
  }
  const known = (id: string) => {
    if (id !== name) throw new AwsError('ResourceNotFoundException', 'There is no such secret.')
  }
  const operations: Operations = {
    'secretsmanager.DescribeSecret': ({ SecretId }) => {
      known(SecretId)
      const stages = [...versions].map(([id, version]) => [id, [...version.stages]])
      return { Name: name, VersionIdsToStages: Object.fromEntries(stages) }
    },
    'secretsmanager.GetSecretValue': ({ SecretId, VersionId }) => {
      known(SecretId)
      const id = VersionId ?? holding('AWSCURRENT')?.[0]
      return { Name: name, VersionId: id, SecretString: versions.get(id)?.value }
    },
    'secretsmanager.PutSecretValue': ({ SecretId, SecretString, VersionStages }) => {
      known(SecretId)
      const id = randomUUID()
      versions.set(id, { value: SecretString, stages: new Set() })
      for (const stage of VersionStages ?? ['AWSCURRENT']) moveTo(stage, id)
      return { Name: name, VersionId: id }
    },
    'secretsmanager.UpdateSecretVersionStage': (input) => {
      known(input.SecretId)
      const holder = holding(input.VersionStage)?.[0]
      if (holder !== input.RemoveFromVersionId && (holder || input.RemoveFromVersionId)) {
        throw new AwsError('InvalidParameterException', 'The stage is at another version.')
      }
      if (input.MoveToVersionId) moveTo(input.VersionStage, input.MoveToVersionId)
      else versions.get(holder ?? '')?.stages.delete(input.VersionStage)
      return { Name: name }
    },
  }
  return {
    operations,
    current: () => holding('AWSCURRENT')?.[1].value,
    /** Stages that any version has. */
    stages: () => [...versions.values()].flatMap(({ stages }) => [...stages]).toSorted(),
  }
}
