import { GetFunctionCommand } from '@aws-sdk/client-lambda'
import { createExchange } from '../../functions/upstream/exchange.ts'
import { awsClients } from './clients.aws.ts'

/** The ARN of a function, and its code as a ZIP archive. Throws if it cannot be read. */
export async function readFunctionCode(
  name: string,
): Promise<{ readonly arn: string; readonly archive: Buffer }> {
  const found = await awsClients.functions().send(new GetFunctionCommand({ FunctionName: name }))
  const { origin, pathname, search } = new URL(found.Code?.Location ?? '')
  const request = { method: 'GET', target: pathname + search, headers: {}, totalMs: 60_000 } as const
  const { status, body } = await createExchange(origin)(request)
  if (status !== 200) throw new Error(`The code of ${name} was not sent: HTTP ${status}`)
  return { arn: found.Configuration?.FunctionArn ?? '', archive: body }
}
