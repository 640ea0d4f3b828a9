import { existsSync, globSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { buffer } from 'node:stream/consumers'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { createEventBus } from '../../local/embedded/event-bridge.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { listen } from '../../local/embedded/listen.ts'
import type { LambdaHandler } from '../../local/lambda.ts'
import { bucket, publisher, table } from '../names.ts'
import { etagOf } from '../snapshots.ts'
import { createPublisher } from './publisher.ts'
import { publisherSecondsFile, ready } from './ready.ts'

/**
 * S3 with a folder as its bucket, for snapshots that are too large for the embedded S3, DynamoDB, the event bus, and the
 * publisher in a thread, whose time is in a file of the folder.
 */
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
const { handler, configure } = createPublisher()
let publisherMs = 0
const recordTime = () => writeFileSync(join(folder, publisherSecondsFile), String(publisherMs / 1000))
recordTime()
const timed: LambdaHandler = async (event, context) => {
  const startedAt = performance.now()
  try {
    return await handler(event, context)
  } finally {
    publisherMs += performance.now() - startedAt
    recordTime()
  }
}
const lambda = await serveLambda({ [publisher]: timed })
const dynamoDb = await startDynamoDb({ table })
const variables = awsEnvironment({
  dynamoDb: dynamoDb.endpoint,
  s3: s3.endpoint,
  eventBridge: events.endpoint,
  lambda: lambda.endpoint,
})
configure(variables)
ready(variables)

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length)
  if (request.method === 'PUT') return put(key, request, response)
  if (url.searchParams.has('list-type')) return list(url.searchParams.get('prefix') ?? '', response)
  const body = await readFile(join(folder, key))
  response.setHeader('ETag', etagOf(join(folder, key))).end(body)
}

async function put(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  const path = join(folder, key)
  const current = existsSync(path) ? etagOf(path) : undefined
  const { 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = request.headers
  const fails = ifMatch ? current !== ifMatch : ifNoneMatch !== undefined && current
  if (fails) return sendError(response, 412, 'PreconditionFailed')
  await mkdir(dirname(path), { recursive: true })
  await rm(path, { force: true })
  await writeFile(path, body)
  response.setHeader('ETag', etagOf(path)).end()
}

/** All keys at once. */
function list(prefix: string, response: ServerResponse): void {
  const keys = globSync(`${prefix}**`, { cwd: folder }).filter((key) => key.includes('.'))
  const contents = keys.map((key) => {
    const path = join(folder, key)
    const members = `<Size>${statSync(path).size}</Size><ETag>${etagOf(path)}</ETag>`
    return `<Contents><Key>${key}</Key>${members}</Contents>`
  })
  response.setHeader('Content-Type', 'application/xml')
  response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`)
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}
