import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { pageRefusal } from '../loopback.ts'
import { clientSettings } from './environment.ts'
import { findSignatureError } from './signature.aws.ts'

/** The body of a refusal, as the service's protocol has it. */
type ResponseFormat = 'json' | 'xml'

/**
 * Puts a check in front of a server, before its own code: only the parts of this process, and the programs that it
 * gives its access keys to, may call an embedded AWS service. Web pages may not, whatever they send.
 */
export function guarded<S extends Server>(server: S, format: ResponseFormat): S {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  return server.on('request', (request, response) => void receive(request, response))

  async function receive(request: IncomingMessage, response: ServerResponse) {
    const message = await refusalReason(request)
    if (message === undefined) {
      for (const listener of listeners) listener.call(server, request, response)
      return
    }
    request.resume()
    response.writeHead(403, { 'content-type': `application/${format}` }).end(bodies[format](message))
  }
}

async function refusalReason({
  method = '',
  url = '',
  headers,
}: IncomingMessage): Promise<string | undefined> {
  return pageRefusal(headers) ?? findSignatureError({ method, url, headers }, clientSettings.credentials)
}

const bodies: Readonly<Record<ResponseFormat, (message: string) => string>> = {
  json: (message) => JSON.stringify({ __type: 'AccessDeniedException', message }),
  xml: (message) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
}
