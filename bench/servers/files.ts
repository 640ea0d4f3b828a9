import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import { listen } from '../../local/embedded/listen.ts'
import { bucket } from '../names.ts'
import { ready } from './ready.ts'

/** S3 with a folder as its bucket, for snapshots that are too large for the embedded S3, and the event bus. */
const { folder }: { readonly folder: string } = JSON.parse(argv[2] ?? '{}')

const s3 = await listen(
  createServer((request, response) => {
    respond(request, response).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') sendError(response, 404, 'NoSuchKey')
      else response.destroy(error)
    })
  }),
)
const events = await serveAwsJson(createEventBus().operations)
ready(awsEnvironment({ s3: s3.endpoint, eventBridge: events.endpoint }))

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length)
  if (request.method === 'PUT') return put(key, request, response)
  if (url.searchParams.has('list-type')) return list(url.searchParams.get('prefix') ?? '', response)
  const body = await readFile(join(folder, key))
  response.setHeader('ETag', etagOf(body)).end(body)
}

async function put(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const path = join(folder, key)
  const current = await readFile(path).catch(() => undefined)
  const { 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = request.headers
  const fails = ifMatch ? !current || etagOf(current) !== ifMatch : ifNoneMatch !== undefined && current
  if (fails) return sendError(response, 412, 'PreconditionFailed')
  await mkdir(dirname(path), { recursive: true })
  await rm(path, { force: true })
  await writeFile(path, body)
  response.setHeader('ETag', etagOf(body)).end()
}

/** The first keys are enough for the comparison and for tables. */
async function list(prefix: string, response: ServerResponse): Promise<void> {
  const keys = globSync(`${prefix}**`, { cwd: folder }).filter((key) => key.includes('.'))
  const contents = await Promise.all(
    keys.slice(0, 1000).map(async (key) => {
      const body = await readFile(join(folder, key))
      const members = `<Size>${body.length}</Size><ETag>${etagOf(body)}</ETag>`
      return `<Contents><Key>${key}</Key>${members}</Contents>`
    }),
  )
  response.setHeader('Content-Type', 'application/xml')
  response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`)
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`
