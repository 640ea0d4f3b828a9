import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { invoke, type LambdaHandler } from '../lambda.ts'
import { serveGuarded } from './guard.ts'

type Functions = Readonly<Record<string, LambdaHandler>>

const timeoutSeconds = 900
const invocation = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/

/** Lambda's Invoke. As on Lambda, a function continues if its caller does not wait for it. */
export const serveLambda = (functions: Functions) =>
  serveGuarded('json', (request, response) => respond(functions, request, response))

async function respond(functions: Functions, request: IncomingMessage, response: ServerResponse) {
  const event: unknown = JSON.parse((await text(request)) || '{}')
  const [, functionName = ''] = invocation.exec(request.url ?? '') ?? []
  const handler = functions[functionName]
  response.setHeader('Content-Type', 'application/json')
  if (!handler) {
    response.writeHead(404, { 'X-Amzn-ErrorType': 'ResourceNotFoundException' })
    response.end(JSON.stringify({ Message: `${request.url} is not served here.` }))
    return
  }
  try {
    response.end(JSON.stringify(await invoke(handler, event, timeoutSeconds)))
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    response.setHeader('X-Amz-Function-Error', 'Unhandled')
    response.end(JSON.stringify({ errorType: name, errorMessage: message }))
  }
}
