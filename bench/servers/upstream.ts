import { createServer, type ServerResponse } from 'node:http'
import { argv } from 'node:process'
import { listen } from '../../local/embedded/listen.ts'
import { createdIn, createdUpTo, makePages } from './pages.ts'
import { ready } from './ready.ts'

/** A fast stand-in platform: scroll pages by position, searches for one document, and a dock for every other path. */
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
if (process.send) ready({ endpoint })
else console.log(endpoint)

function respond({ pathname, searchParams }: URL, response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json')
  if (pathname === '/connections') response.end(JSON.stringify({ connections }))
  else if (pathname.endsWith('/search')) search(searchParams, response)
  else if (pathname.endsWith('/scroll')) scroll(searchParams, response)
  else response.end(dock)
}

function search(parameters: URLSearchParams, response: ServerResponse): void {
  const { first, end } = intervalOf(parameters.get('_where'), documents)
  const total = Math.max(0, end - first)
  const found = parameters.get('_sort')?.endsWith('DESC') ? end - 1 : first
  response.setHeader('REST-Content-Range', `resources=0-${Math.min(1, total)}/${total}`)
  response.end(JSON.stringify(total === 0 ? [] : [{ createdIn: createdIn(found) }]))
}

/** A token is the position of the next document and the end of its range. */
function scroll(parameters: URLSearchParams, response: ServerResponse): void {
  const { first, end } =
    readToken(parameters.get('_token')) ?? intervalOf(parameters.get('_where'), documents)
  const length = Math.max(0, Math.min(pageSize, end - first))
  response.setHeader('X-SVC-MD-TOKEN', `${first + length}-${end}`)
  response.setHeader('REST-Content-Total', String(end - first))
  response.end(length > 0 ? pages.pageFrom(first, length) : '[]')
}

function readToken(token: string | null): Interval | undefined {
  const [first, end] = token?.split('-').map(Number) ?? []
  return first === undefined || end === undefined ? undefined : { first, end }
}

/** Consecutive documents; `end` is exclusive. */
interface Interval {
  readonly first: number
  readonly end: number
}

/** The documents that match a range filter over `createdIn`; all documents without a filter. */
function intervalOf(where: string | null, documents: number): Interval {
  const all = { first: 0, end: documents }
  if (where === null || where.includes('is not null')) return all
  if (where.includes('is null')) return { first: 0, end: 0 }
  const [, from, to] = /between (\S+) AND ([^\s)]+)/.exec(where) ?? []
  if (from && to) return { first: firstAtOrAfter(from), end: createdUpTo(to) }
  const [, at] = /^\(createdIn = ([^\s)]+)\)$/.exec(where) ?? []
  if (at) return { first: firstAtOrAfter(at), end: createdUpTo(at) }
  const [, sign, bound = ''] = /createdIn ([<>]) (\S+) OR/.exec(where) ?? []
  return sign === '<' ? { ...all, end: createdUpTo(bound) } : { ...all, first: firstAtOrAfter(bound) }
}

const firstAtOrAfter = (time: string) => {
  const before = new Date(Date.parse(time) - 1).toISOString()
  return createdUpTo(before)
}
