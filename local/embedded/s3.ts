import type { IncomingMessage } from 'node:http'
import { extname } from 'node:path'
import { finished } from 'node:stream/promises'
import { buildApp } from 'fauxqs'
import { type BucketFiles, createBucketFiles } from './bucket-files.ts'
import { guarded } from './guard.ts'
import type { Served } from './listen.ts'

type S3App = ReturnType<typeof buildApp>

export interface S3Options {
  readonly bucket?: string
  /** Where the objects are kept; in memory if absent. */
  readonly folder?: string | undefined
}

/**
 * S3 with one bucket. fauxqs ignores If-None-Match and If-Match on a PUT, and publication relies on them,
 * so they are evaluated here. An object has at most 11 MiB.
 */
export async function startS3(options: S3Options = {}): Promise<Served> {
  const { bucket = 'longshore-snapshots', folder } = options
  const app = buildApp({ logger: false })
  const turns = new Map<string, Promise<void>>()
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'PUT') return
    // PUTs of one key run in sequence, so that only the first of two conditional ones succeeds.
    const key = pathOf(request.raw.url)
    const before = turns.get(key)
    const turn = finished(reply.raw)
      .catch(() => undefined)
      .finally(() => turns.get(key) === turn && turns.delete(key))
    turns.set(key, turn)
    await before
    const refusal = await refuse(app, request.raw)
    if (!refusal) return
    const { status, code, message, condition } = refusal
    reply.code(status).type('application/xml')
    return reply.send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code>` +
        `<Message>${message}</Message><Condition>${condition}</Condition></Error>`,
    )
  })
  guarded(app.server, 'xml')
  const files = folder === undefined ? undefined : createBucketFiles(folder)
  if (files) storeChanges(app, { bucket, files })
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.inject({ method: 'PUT', url: `/${bucket}` })
  for (const key of files?.keys() ?? []) {
    const headers = { 'content-type': typeOf(key) }
    await app.inject({ method: 'PUT', url: `/${bucket}/${key}`, headers, payload: files?.read(key) ?? '' })
  }
  return {
    endpoint,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Stores each change of the bucket before its response is sent. */
function storeChanges(
  app: S3App,
  { bucket, files }: { readonly bucket: string; readonly files: BucketFiles },
) {
  app.addHook('onSend', async ({ raw, body }, reply) => {
    const key = decodeURIComponent(pathOf(raw.url)).slice(`/${bucket}/`.length)
    if (reply.statusCode >= 300) return
    if (raw.method === 'PUT' && key !== '') {
      const { rawPayload } = await app.inject({ method: 'GET', url: pathOf(raw.url) })
      files.write(key, rawPayload)
    }
    if (raw.method === 'DELETE' && key !== '') files.remove(key)
    if (raw.method === 'POST' && Buffer.isBuffer(body))
      for (const deleted of keysIn(body)) files.remove(deleted)
  })
}

/** The keys of a DeleteObjects request. The keys of Longshore need no escapes in XML. */
function keysIn(body: Buffer): string[] {
  return [...String(body).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
}

const types: Readonly<Record<string, string>> = {
  '.gz': 'application/gzip',
  '.json': 'application/json',
  '.txt': 'text/plain',
}
const typeOf = (key: string) => types[extname(key)] ?? 'application/octet-stream'

const pathOf = (url = '') => url.split('?')[0] ?? ''

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly condition: string
}

/** S3's response to a conditional PUT whose condition is false. */
async function refuse(app: S3App, { url, headers }: IncomingMessage): Promise<Refusal | undefined> {
  const ifNoneMatch = headers['if-none-match']
  const ifMatch = headers['if-match']
  if (ifNoneMatch === undefined && ifMatch === undefined) return undefined
  const current = await app.inject({ method: 'HEAD', url: pathOf(url) })
  const etag = current.statusCode === 200 ? String(current.headers.etag) : undefined
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
