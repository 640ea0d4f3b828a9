import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { account, region } from '../../local/embedded/aws-json-server.ts'
import { listen, type Served } from '../../local/embedded/listen.ts'

/** Ids of a stack's resources, logical and physical ones alike, by type. */
export type StackResources = Readonly<Record<string, readonly string[]>>

/** The AWS identity that runs a command. */
const operatorArn = `arn:aws:iam::${account}:user/operator`

const identity =
  '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' +
  `<Arn>${operatorArn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`

/**
 * Serves STS's GetCallerIdentity, and CloudFormation's DescribeStacks, GetTemplate, and ListStackResources, which returns one resource per page.
 * Templates are by stack.
 */
export function serveStacks(
  stacks: Readonly<Record<string, Record<string, string>>>,
  resources: Readonly<Record<string, StackResources>> = {},
  templates: Readonly<Record<string, object>> = {},
): Promise<Served> {
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
  const listResources = (stackName: string | null, page = 0) => {
    const members = Object.entries(resources[stackName ?? ''] ?? {}).flatMap(([type, ids]) =>
      ids.map(
        (id) =>
          `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${id}</LogicalResourceId>` +
          `<PhysicalResourceId>${id}</PhysicalResourceId></member>`,
      ),
    )
    const next = page + 1 < members.length ? `<NextToken>${page + 1}</NextToken>` : ''
    const list = `<StackResourceSummaries>${members[page] ?? ''}</StackResourceSummaries>${next}`
    const result = `<ListStackResourcesResult>${list}</ListStackResourcesResult>`
    return { status: 200, body: `<ListStackResourcesResponse>${result}</ListStackResourcesResponse>` }
  }
  const getTemplate = (stackName: string | null) => {
    const body = `<TemplateBody>${escaped(JSON.stringify(templates[stackName ?? ''] ?? {}))}</TemplateBody>`
    const result = `<GetTemplateResult>${body}</GetTemplateResult>`
    return { status: 200, body: `<GetTemplateResponse>${result}</GetTemplateResponse>` }
  }
  const respond = (form: URLSearchParams) => {
    const stackName = form.get('StackName')
    const action = form.get('Action')
    if (action === 'GetCallerIdentity') return { status: 200, body: identity }
    if (action === 'ListStackResources') return listResources(stackName, Number(form.get('NextToken') ?? 0))
    return action === 'GetTemplate' ? getTemplate(stackName) : describeStack(stackName)
  }
  return listen(
    createServer((request, response) => {
      const responded = text(request)
        .then((body) => respond(new URLSearchParams(body)))
        .then(({ status, body }) => {
          response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body)
        })
      responded.catch(() => response.destroy())
    }),
  )
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
