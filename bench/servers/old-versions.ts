import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { argv } from 'node:process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { awsEnvironment } from '../../local/embedded/environment.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { listen } from '../../local/embedded/listen.ts'
import { bucket, publisher } from '../names.ts'
import { contentOf, type OldEntity, versionsOf } from '../old-entities.ts'
import { createPublisher } from './publisher.ts'
import { ready } from './ready.ts'

/**
 * The bucket and the state table of entities that the daily task erases, each response after a delay, and the publisher,
 * which shortens their chains. What is deleted stays, so that listings cost the same. A GET of `/` returns the counts.
 */
export interface OldVersionsOptions {
  readonly entities: readonly OldEntity[]
  readonly now: number
  readonly delayMs: number
}

const { entities, now, delayMs }: OldVersionsOptions = JSON.parse(argv[2] ?? '{}')
const counts = { requests: 0, deleted: 0 }
const pageSize = 1000
const written = new Map<string, string>()
const known = new Map(entities.map((entity) => [entity.name, entity]))

const served = await listen(
  createServer((request, response) => {
    respond(request, response).catch((error: Error) => response.destroy(error))
  }),
)
const { handler, configure } = createPublisher()
const lambda = await serveLambda({ [publisher]: handler })
const variables = awsEnvironment({
  s3: served.endpoint,
  dynamoDb: served.endpoint,
  lambda: lambda.endpoint,
})
configure(variables)
ready({ endpoint: served.endpoint, variables })

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (request.method === 'GET' && pathname === '/') return void response.end(JSON.stringify(counts))
  counts.requests++
  const delay = sleep(delayMs)
  const body = await text(request)
  await delay
  // The requests of the table: no entity has had a pass.
  if (pathname === '/') return void response.end('{"Responses":{}}')
  const key = decodeURIComponent(pathname).slice(`/${bucket}/`.length)
  if (request.method === 'PUT') {
    written.set(key, body)
    return void response.end()
  }
  if (key !== '') return read(key, response)
  response.setHeader('Content-Type', 'application/xml')
  if (searchParams.has('delete')) {
    counts.deleted += body.split('<VersionId>').length - 1
    return void response.end('<DeleteResult></DeleteResult>')
  }
  const prefix = searchParams.get('prefix') ?? ''
  const entity = known.get(prefix.split('/')[1] ?? '')
  if (!entity) return void response.end(folders([...known.keys()].map((name) => `${prefix}${name}/`)))
  const versions = versionsOf(entity, now).filter(({ key }) => key.startsWith(prefix))
  if (searchParams.has('delimiter')) {
    const current = versions.filter(({ isLatest }) => isLatest).map(({ key }) => key.split('/').slice(0, 3))
    return void response.end(folders([...new Set(current.map((parts) => `${parts.join('/')}/`))]))
  }
  const from = Number(searchParams.get('version-id-marker') ?? 0)
  response.end(listing(versions.slice(from, from + pageSize), from + pageSize, versions.length))
}

function read(key: string, response: ServerResponse): void {
  const [, name = ''] = key.split('/')
  const entity = known.get(name.replace('.changes', ''))
  const content = written.get(key) ?? (entity && contentOf(entity, key, now))
  if (content !== undefined) return void response.setHeader('ETag', '"1"').end(content)
  response.writeHead(404, { 'Content-Type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>')
}

const folders = (prefixes: readonly string[]) =>
  `<ListResult><IsTruncated>false</IsTruncated>${prefixes
    .map((prefix) => `<CommonPrefixes><Prefix>${prefix}</Prefix></CommonPrefixes>`)
    .join('')}</ListResult>`

function listing(page: ReturnType<typeof versionsOf>, next: number, total: number): string {
  const marker = `<NextKeyMarker>${page.at(-1)?.key}</NextKeyMarker><NextVersionIdMarker>${next}</NextVersionIdMarker>`
  const versions = page.map(
    ({ key, isLatest, writtenAt }) =>
      `<Version><Key>${key}</Key><VersionId>3sL4kqtJlcpXroDTDmJ</VersionId><IsLatest>${isLatest}</IsLatest>` +
      `<LastModified>${new Date(writtenAt).toISOString()}</LastModified><Size>1000</Size></Version>`,
  )
  const end = next < total ? `<IsTruncated>true</IsTruncated>${marker}` : '<IsTruncated>false</IsTruncated>'
  return `<ListVersionsResult>${end}${versions.join('')}</ListVersionsResult>`
}
