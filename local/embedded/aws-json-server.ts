import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveGuarded } from './guard.ts'

/** Operations of services, by the JSON protocol's target (`secretsmanager.GetSecretValue`). */
export type Operations = Readonly<Record<string, (input: AwsInput) => unknown>>

/** The request as the SDK sent it. The SDK has validated its shape. */
// biome-ignore lint/suspicious/noExplicitAny: each operation knows its own input
export type AwsInput = any

/** An error that the SDK rejects with under this name. */
export class AwsError extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

export const account = '000000000000'
export const region = 'us-east-1'

/** Serves operations of several services on one port with AWS's JSON protocols 1.0 and 1.1. */
export const serveAwsJson = (operations: Operations, port = 0) =>
  serveGuarded('json', (request, response) => respond(operations, request, response), port)

async function respond(operations: Operations, request: IncomingMessage, response: ServerResponse) {
  const body = await text(request)
  const target = String(request.headers['x-amz-target'])
  response.setHeader('Content-Type', request.headers['content-type'] ?? 'application/x-amz-json-1.1')
  try {
    const operation = operations[target]
    if (!operation) throw new AwsError('UnknownOperationException', `${target} is not served here.`)
    const output = await operation(JSON.parse(body))
    response.end(JSON.stringify(output ?? {}))
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    const isTheirs = error instanceof AwsError
    response.statusCode = isTheirs ? 400 : 500
    response.end(JSON.stringify({ __type: isTheirs ? name : 'InternalServiceError', message }))
  }
}
