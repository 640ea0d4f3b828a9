import { createServer, type ServerResponse } from 'node:http'
import { argv } from 'node:process'
import { listen } from '../../local/embedded/listen.ts'
import { makePages } from './pages.ts'

/** A fast stand-in platform: serves scroll pages by position and a dock for every other path. */
export interface UpstreamOptions {
  readonly documents: number
  readonly bytes: number
  readonly pageSize: number
  /** The delay before each response. */
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
  if (delayMs > 0) setTimeout(() => respond(url, response), delayMs)
  else respond(url, response)
})
server.on('connection', () => connections++)
const { endpoint } = await listen(server)
// It has no parent process when it is started by hand for the scripts in bench/peers.
if (process.send) process.send({ endpoint })
else console.log(endpoint)

function respond({ pathname, searchParams }: URL, response: ServerResponse): void {
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
