import { MalformedPage } from '../../../functions/documents/json-scalars.ts'
import { splitPageInPlace } from '../../../functions/documents/split.ts'
import { startPosition } from '../../../functions/state/page.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { type Scroll, type ScrollIo, scroll } from '../../../functions/worker/scroll/loop.ts'
import { entityNamed } from '../../entity-named.ts'

/**
 * What happens to a request. With `lost` the platform does what it was asked, then its answer is lost: the cursor has
 * moved. With `instead` it does nothing and answers something else.
 */
export type Fault =
  | { readonly lost: UpstreamFailureKind | 'html' | 'malformed' }
  | { readonly instead: 'unreachable' | number; readonly headers?: Record<string, string> }
  | { readonly throws: Error }

export interface Simulation {
  /** Documents that the platform has. */
  readonly documents?: number
  readonly pageSize?: number
  /** A cursor on the server that each request moves, or a token that names a place. */
  readonly tokens?: 'cursor' | 'positional'
  /** The answers that carry the token header. */
  readonly tokenHeader?: 'every' | 'first' | 'none'
  /** What REST-Content-Total says on page `page`. */
  readonly total?: (page: number) => string | undefined
  /** Body of the end. */
  readonly end?: { status?: number; body?: string }
  readonly endless?: boolean
  /** By number of the request, from 1. */
  readonly faults?: (request: number) => Fault | undefined
  readonly query?: Record<string, string | readonly string[]>
  /** Turns of the event loop that a request and the storing of a page take. */
  readonly requestTurns?: (request: number) => number
  readonly keepTurns?: (page: number) => number
  readonly requestTakesMs?: number
  /** Throws in its place: number of the call to `keep`, from 1. */
  readonly keepThrows?: (call: number) => Error | undefined
  /** The number of the call to `timeIsUp` from which on it is true. */
  readonly timeIsUp?: (call: number) => boolean
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function documentsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `{"id":"${index}"}`)
}

/** A platform, a store and a clock in memory, with a journal of everything that the loop did in its order. */
export function simulate(given: Simulation = {}) {
  const { tokens = 'cursor', tokenHeader = 'every', requestTakesMs = 0, end = {} } = given
  const all = documentsOf(given.documents ?? 10)
  const entity = entityNamed('CL', { pageSize: given.pageSize ?? 3, query: given.query ?? {} })
  const totalOf = given.total ?? (() => String(all.length))
  const journal: string[] = []
  const targets: string[] = []
  const clock = { now: 1_800_000_000_000 }
  const store = { lines: [] as string[], position: startPosition(entity.pageSize) }
  const memory = { pages: 0, most: 0, background: 0 }
  const count = { requests: 0, keeps: 0, scrolls: 0, holds: 0, timeChecks: 0 }
  const cursors = new Map<string, { at: number; size: number }>()

  /** The page that is due, after which the cursor has moved. */
  function nextPage(query: URLSearchParams): { answer: UpstreamResponse; body: string } {
    const asked = query.get('_token')
    const [name, place] = (asked ?? `scroll-${++count.scrolls}:0`).split(':')
    const key = name ?? ''
    const known = cursors.get(key) ?? { at: 0, size: Number(query.get('_size')) }
    const at = tokens === 'positional' ? Number(place) : known.at
    cursors.set(key, { at: at + known.size, size: known.size })
    const documents = given.endless ? documentsOf(known.size) : all.slice(at, at + known.size)
    const page = at / known.size + 1
    const isEnd = documents.length === 0
    const total = totalOf(page)
    const tells = tokenHeader === 'every' || (tokenHeader === 'first' && asked === null)
    const token = tokens === 'positional' ? `${key}:${at + known.size}` : key
    const body = isEnd ? (end.body ?? '') : `[${documents.join(',')}]`
    const headers = {
      ...(tells && !isEnd && { 'x-svc-md-token': token }),
      ...(total !== undefined && { 'rest-content-total': total }),
    }
    return { body, answer: { status: isEnd ? (end.status ?? 200) : 200, headers, body: Buffer.from(body) } }
  }

  function answerTo(target: string, fault: Fault | undefined): UpstreamResponse {
    if (fault && 'throws' in fault) throw fault.throws
    if (fault && 'instead' in fault) {
      if (fault.instead === 'unreachable') throw new UpstreamFailure('unreachable')
      return { status: fault.instead, headers: fault.headers ?? {}, body: Buffer.from('{"Message":"no"}') }
    }
    const { answer, body } = nextPage(new URL(target, 'http://x').searchParams)
    if (!fault) return answer
    if (fault.lost === 'html') return { ...answer, body: Buffer.from('<html></html>') }
    // Whole at a quick look, and no JSON: two documents without a comma between.
    if (fault.lost === 'malformed') return { ...answer, body: Buffer.from(body.replace(/^\[/, '[{}')) }
    throw new UpstreamFailure(fault.lost)
  }

  const ports: ScrollIo = {
    async request(target) {
      const number = ++count.requests
      targets.push(target)
      journal.push(`request ${number}`)
      clock.now += requestTakesMs
      await turns(given.requestTurns?.(number) ?? 1)
      const answer = answerTo(target, given.faults?.(number))
      if (answer.status === 200 && answer.body.includes('{')) {
        memory.pages++
        memory.most = Math.max(memory.most, memory.pages)
      }
      return answer
    },
    redact: (text) => text.replaceAll('secret-key', '***'),
    prepare: () => {},
    async keep(body, cursor, after) {
      const call = ++count.keeps
      const page = after.page + 1
      journal.push(`keep ${page}`)
      memory.background++
      try {
        await turns(given.keepTurns?.(page) ?? 1)
        const thrown = given.keepThrows?.(call)
        if (thrown) throw thrown
        const { documents, lines } = splitPageInPlace(body, 'id')
        journal.push(`commit ${page}`)
        store.lines.push(...lines.toString().split('\n').filter(Boolean))
        store.position = {
          ...cursor,
          page,
          documents,
          documentsSoFar: after.documentsSoFar + documents,
          end: false,
        }
        return store.position
      } catch (error) {
        journal.push(
          error instanceof MalformedPage ? `malformed ${page}` : `${(error as Error).name} ${page}`,
        )
        throw error
      } finally {
        memory.pages--
        memory.background--
      }
    },
    async keepEnd(cursor, after) {
      journal.push('end')
      store.position = {
        ...cursor,
        page: after.page + 1,
        documents: 0,
        documentsSoFar: after.documentsSoFar,
        end: true,
      }
      return store.position
    },
    async markSuspect(detail) {
      await turns(1)
      journal.push(`suspect: ${detail}`)
    },
    async renewLease() {
      count.holds++
    },
    async sleep(ms) {
      journal.push(`sleep ${ms}`)
      clock.now += ms
    },
    now: () => clock.now,
    random: () => 1,
    timeIsUp: () => given.timeIsUp?.(++count.timeChecks) ?? false,
  }

  /** Scrolls on from what is committed, as a worker that has nothing in memory yet. */
  const run = (change: Partial<Scroll> & { ports?: Partial<ScrollIo> } = {}) => {
    const { ports: changed, ...start } = change
    memory.pages = 0
    return scroll(
      { entity, tokenHeader: 'x-svc-md-token', position: store.position, retryState: undefined, ...start },
      { ...ports, ...changed },
    )
  }
  const isSuspect = () => journal.some((entry) => entry.startsWith('suspect'))
  return { run, all, entity, journal, targets, clock, store, memory, count, cursors, isSuspect }
}
