import { createServer, type ServerResponse } from 'node:http'
import { argv } from 'node:process'
import { listen } from '../../local/embedded/listen.ts'
import { makePages } from './pages.ts'

/** The platform as fast as it could be: scroll pages by position, and a dock for every other path. */
export interface UpstreamOptions {
  readonly documents: number
  readonly bytes: number
  readonly pageSize: number
  /** Before each answer. */
  readonly delayMs: number
}

const { documents, bytes, pageSize, delayMs }: UpstreamOptions = JSON.parse(argv[2] ?? '{}')
const pages = makePages({ documents, bytes, pageSize })
const dock = JSON.stringify({
  id: 'main',
  name: 'Main dock',
  priority: 1,
  dockTimeFake: '1.00:00:00',
  salesChannels: ['1'],
})
let connections = 0

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (delayMs > 0) setTimeout(() => answer(url, response), delayMs)
  else answer(url, response)
})
server.on('connection', () => connections++)
const { endpoint } = await listen(server)
// Started by hand, for the scripts in bench/peers, it has nobody else to tell.
if (process.send) process.send({ endpoint })
else console.log(endpoint)

function answer({ pathname, searchParams }: URL, response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json')
  if (pathname === '/connections') response.end(JSON.stringify({ connections }))
  else if (!pathname.endsWith('/scroll')) response.end(dock)
  else {
    const index = Number(searchParams.get('_token') ?? 0)
    response.setHeader('X-SVC-MD-TOKEN', String(index + 1))
    response.setHeader('REST-Content-Total', String(documents))
    response.end(index < pages.count ? pages.page(index) : '[]')
  }
}
