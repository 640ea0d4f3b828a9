import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { awsClients } from './clients.aws.ts'

export interface DeployedStack {
  readonly status: string
  readonly outputs: Readonly<Record<string, string>>
  /** When it was created or last updated. */
  readonly deployedAt: string
}

export interface StackResource {
  readonly type: string
  readonly logicalId: string
  readonly physicalId: string
}

export type StackStore = ReturnType<typeof createStackStore>

export function createStackStore() {
  const client = awsClients.stacks()

  /** Undefined if there is no stack, or the caller may not list stacks. */
  async function accountOfAnyStack(): Promise<string | undefined> {
    const command = new DescribeStacksCommand({})
    const found = await client.send(command).catch(absentIf(CloudFormationServiceException))
    return found?.Stacks?.[0]?.StackId?.split(':')[4]
  }

  return {
    /** Epoch milliseconds by AWS's clock, as of the last response. */
    now: responseClock(client),

    /** The region and account that are searched. The account may be unknown. */
    async location(): Promise<{ readonly region: string; readonly account: string | undefined }> {
      const region = await client.config.region()
      const { accountId } = await client.config.credentials()
      if (accountId) return { region, account: accountId }
      return { region, account: await accountOfAnyStack() }
    },

    /** Undefined if the stack does not exist. */
    async read(name: string): Promise<DeployedStack | undefined> {
      try {
        const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
        const [stack] = Stacks
        // A deleted stack can still be described by its id, and a first deployment in review has no resources.
        if (!stack || ['DELETE_COMPLETE', 'REVIEW_IN_PROGRESS'].includes(stack.StackStatus ?? ''))
          return undefined
        const outputs = (stack.Outputs ?? []).map((one) => [one.OutputKey ?? '', one.OutputValue ?? ''])
        return {
          status: stack.StackStatus ?? 'UNKNOWN',
          outputs: Object.fromEntries(outputs),
          deployedAt: (stack.LastUpdatedTime ?? stack.CreationTime ?? new Date(0)).toISOString(),
        }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },

    /** The deployed template as it was uploaded. */
    async template(name: string): Promise<string> {
      const { TemplateBody = '' } = await client.send(
        new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
      )
      return TemplateBody
    },

    async resources(name: string, ...types: readonly string[]): Promise<StackResource[]> {
      const found: StackResource[] = []
      const pages = paginateListStackResources({ client }, { StackName: name })
      for await (const { StackResourceSummaries = [] } of pages) {
        for (const {
          ResourceType: type = '',
          LogicalResourceId = '',
          PhysicalResourceId,
        } of StackResourceSummaries) {
          if (!types.includes(type) || !PhysicalResourceId) continue
          found.push({ type, logicalId: LogicalResourceId, physicalId: PhysicalResourceId })
        }
      }
      return found
    },
  }
}

/** DescribeStacks has no error type for a stack that does not exist, only this message (API reference). */
function isMissing(error: unknown): boolean {
  return (
    error instanceof CloudFormationServiceException &&
    error.name === 'ValidationError' &&
    /does not exist/.test(error.message)
  )
}

/** A clock that follows AWS: the local one, corrected to the second by the `Date` of the client's last response. */
function responseClock(client: CloudFormationClient): () => number {
  let offsetMs = 0
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request)
      const { headers } = result.response as { headers?: Record<string, string> }
      const serverTime = Date.parse(headers?.['date'] ?? '')
      if (!Number.isNaN(serverTime)) offsetMs = serverTime - Date.now()
      return result
    },
    { step: 'deserialize', name: 'responseClock', priority: 'low' },
  )
  return () => Date.now() + offsetMs
}
