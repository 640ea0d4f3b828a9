import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { buildApp } from 'fauxqs'
import { listen, type Served } from './listen.ts'

/**
 * S3 in memory with one bucket. fauxqs ignores If-None-Match and If-Match on a PUT, on which publication
 * relies, so this front decides those and passes everything else through. One object is 11 MiB at most.
 */
export async function startS3({ bucket = 'longshore-snapshots' } = {}): Promise<Served> {
  const app = buildApp({ logger: false })
  const backend = await app.listen({ port: 0, host: '127.0.0.1' })
  const turns = new Map<string, Promise<void>>()

  /** PUTs of one key one after another, so that of two conditional ones only the first can win. */
  function inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => undefined).finally(() => turns.get(key) === settled && turns.delete(key))
    turns.set(key, settled)
    return turn
  }

  async function put(incoming: IncomingMessage, outgoing: ServerResponse) {
    const refusal = await refuse(backend, incoming)
    if (!refusal) return forward(backend, incoming, outgoing)
    incoming.resume()
    outgoing.writeHead(refusal.status, { 'Content-Type': 'application/xml' })
    outgoing.end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code>` +
        `<Message>${refusal.message}</Message><Condition>${refusal.condition}</Condition></Error>`,
    )
  }

  const front = await listen(
    createServer((incoming, outgoing) => {
      const [key = ''] = (incoming.url ?? '').split('?')
      const done =
        incoming.method === 'PUT'
          ? inTurn(key, () => put(incoming, outgoing))
          : forward(backend, incoming, outgoing)
      done.catch(() => outgoing.destroy())
    }),
  )
  await fetch(`${front.endpoint}/${bucket}`, { method: 'PUT' })
  return {
    endpoint: front.endpoint,
    close: async () => {
      await front.close()
      await app.close()
    },
  }
}

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly condition: string
}

/** What S3 answers to a conditional PUT that does not hold. */
async function refuse(backend: string, { url, headers }: IncomingMessage): Promise<Refusal | undefined> {
  const ifNoneMatch = headers['if-none-match']
  const ifMatch = headers['if-match']
  if (ifNoneMatch === undefined && ifMatch === undefined) return undefined
  const [path] = (url ?? '').split('?')
  const current = await fetch(`${backend}${path}`, { method: 'HEAD' })
  const etag = current.ok ? current.headers.get('etag') : undefined
  const failed = {
    status: 412,
    code: 'PreconditionFailed',
    message: 'At least one of the pre-conditions failed',
  }
  if (ifNoneMatch !== undefined && etag) return { ...failed, condition: 'If-None-Match' }
  if (ifMatch === undefined) return undefined
  if (!etag) {
    return { status: 404, code: 'NoSuchKey', message: 'The key does not exist.', condition: 'If-Match' }
  }
  return unquoted(etag) === unquoted(ifMatch) ? undefined : { ...failed, condition: 'If-Match' }
}

const unquoted = (etag: string) => etag.replaceAll('"', '')

async function forward(backend: string, incoming: IncomingMessage, outgoing: ServerResponse) {
  // This server has told the client to go on already; the backend need not be asked.
  const { expect: _, ...headers } = incoming.headers
  const onward = request(backend + incoming.url, { method: incoming.method, headers })
  const answered = new Promise<IncomingMessage>((done, fail) => {
    onward.once('response', done).once('error', fail)
  })
  const relay = async () => {
    const answer = await answered
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    await pipeline(answer, outgoing)
  }
  await Promise.all([pipeline(incoming, onward), relay()])
}
