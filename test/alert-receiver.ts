import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as its receiver got it. */
export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the members
  readonly json: any
}

export interface AlertReceiver {
  /** With a path that only its secret may contain. */
  readonly address: string
  readonly messages: readonly ReceivedMessage[]
  /** How the next messages are responded to; with 200 by default. */
  respond: (response: ServerResponse) => void
  close(): Promise<void>
}

export const secretPath = '/services/T0/B0/canary-address-5d81f3?sig=canary-signature-b07e2c'

/** A local server that receives messages of alerts, as Slack, Teams or a webhook would. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const messages: ReceivedMessage[] = []
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const json = JSON.parse(Buffer.concat(chunks).toString())
      messages.push({ path: request.url ?? '', headers: request.headers, json })
      receiver.respond(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: AlertReceiver = {
    address: `http://127.0.0.1:${port}${secretPath}`,
    messages,
    respond: (response) => void response.end('ok'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
