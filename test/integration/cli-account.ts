import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { account, region } from '../../local/embedded/aws-json-server.ts'
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
