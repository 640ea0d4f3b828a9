import { GetFunctionCommand } from '@aws-sdk/client-lambda'
import { awsClients } from './clients.aws.ts'

/** The code of a function as a ZIP archive. Throws if it cannot be read. */
export async function readFunctionCode(name: string): Promise<Buffer> {
  const { Code } = await awsClients.functions().send(new GetFunctionCommand({ FunctionName: name }))
  const response = await fetch(Code?.Location ?? '', { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`The code of ${name} was not sent: HTTP ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
