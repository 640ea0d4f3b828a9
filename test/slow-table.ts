import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type Served } from '../local/embedded/listen.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Relays DynamoDB's protocol with a delay before each response. A repeated request gets the first response again, so that
 * the delay does not depend on the embedded table. Use it for reads only. A GET returns the number of requests, without
 * those that the SDK repeats on a busy machine.
 */
export async function startSlowTable(endpoint: string, delayMs: number): Promise<Served> {
  const agent = new Agent({ keepAlive: true })
  const replies = new Map<string, Promise<Reply>>()
  const invocations = new Set<string>()

  const relay = (headers: IncomingHttpHeaders, body: Buffer) =>
    new Promise<Reply>((resolve, reject) => {
      send(endpoint, { method: 'POST', headers, agent }, (response) => {
        const { statusCode: status = 500, headers } = response
        buffer(response).then((body) => resolve({ status, headers, body }), reject)
      })
        .on('error', reject)
        .end(body)
    })

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') return void response.end(String(invocations.size))
    invocations.add(String(request.headers['amz-sdk-invocation-id']))
    const delay = sleep(delayMs)
    const body = await buffer(request)
    const name = `${String(request.headers['x-amz-target'])} ${body.toString()}`
    const known = replies.get(name) ?? relay(request.headers, body)
    replies.set(name, known)
    const reply = await known
    await delay
    response.writeHead(reply.status, reply.headers).end(reply.body)
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  const served = await listen(server)
  return {
    ...served,
    async close() {
      await served.close()
      agent.destroy()
    },
  }
}
