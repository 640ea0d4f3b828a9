import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pageRefusal } from '../loopback.ts'
import { clientSettings } from './environment.ts'
import { listen, type Served } from './listen.ts'
import { findSignatureError } from './signature.aws.ts'

type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Serves an embedded AWS service. A connection whose response fails is closed. */
export function serveGuarded(format: ResponseFormat, respond: Respond, port = 0): Promise<Served> {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  return listen(guarded(server, format), port)
}

/** The body of a refusal, as the service's protocol has it. */
type ResponseFormat = 'json' | 'xml'

/** Lets only programs with this process's access keys call a server, and no web page, whatever it sends. */
export function guarded<S extends Server>(server: S, format: ResponseFormat): S {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  return server.on('request', (request, response) => void receive(request, response))

  async function receive(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request
    const signed = { method, url, headers }
    const message = pageRefusal(headers) ?? (await findSignatureError(signed, clientSettings.credentials))
    if (message === undefined) {
      for (const listener of listeners) listener.call(server, request, response)
      return
    }
    request.resume()
    response.writeHead(403, { 'content-type': `application/${format}` }).end(bodies[format](message))
  }
}

const bodies: Readonly<Record<ResponseFormat, (message: string) => string>> = {
  json: (message) => JSON.stringify({ __type: 'AccessDeniedException', message }),
  xml: (message) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
}
