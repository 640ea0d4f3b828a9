import { afterEach, beforeEach } from 'vitest'
import type { UpstreamFailureKind, UpstreamResponse } from '../../../../functions/upstream/exchange.ts'
import { UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { type PreparedPage, TooManyDocuments } from '../../../../functions/worker/page/store.ts'
import type { OpeningResult, ScrollIo } from '../../../../functions/worker/scroll/io.ts'
import { type ScrollEnd, type ScrollStart, scroll } from '../../../../functions/worker/scroll/loop.ts'
import { splitPageInPlace } from '../../../../stored/documents/split.ts'
import { type Position, type ReportedTotal, startPosition } from '../../../../stored/pages/page.ts'
import { entityNamed } from '../../../entity-named.ts'

/**
 * What happens to a request. With `lost` the platform moves its cursor and the response is lost. With `instead` it does
 * nothing and sends this response.
 */
export type Fault =
  | { readonly lost: UpstreamFailureKind | 'html' | 'cut-off' | 'malformed' | 'empty' | 'too-many' | 'aged' }
  | {
      readonly instead: 'unreachable' | number
      readonly headers?: Record<string, string>
      readonly body?: string
    }
  | { readonly throws: Error }

export interface Simulation {
  /** Documents of the platform: how many, or their bytes. */
  readonly documents?: number | readonly string[]
  readonly pageSize?: number
  /** Documents per page that the platform sends at most, whatever `_size` is. */
  readonly maxPageDocuments?: number
  /** A cursor on the server that each request moves, or a token that names a position. */
  readonly tokens?: 'cursor' | 'positional'
  /** The responses that carry the token header. */
  readonly tokenHeader?: 'every' | 'first' | 'none'
  /** The REST-Content-Total of a page. */
  readonly total?: (page: number) => string | undefined
  /** Body of the end. */
  readonly end?: { status?: number; body?: string }
  readonly endless?: boolean
  /** By number of the request, from 1. */
  readonly faults?: (request: number) => Fault | undefined
  readonly query?: Record<string, string | readonly string[]>
  /** Turns of the event loop that a request, preparing and storing a page take. */
  readonly requestTurns?: (request: number) => number
  readonly storeTurns?: (page: number) => number
  readonly prepareTurns?: number
  readonly requestTakesMs?: number
  /** By number of the call to `storePage`, from 1. */
  readonly storeThrows?: (call: number) => Error | undefined
  /** By number of the call to `timeIsUp`, from 1. */
  readonly timeIsUp?: (call: number) => boolean
  /** What searches report about the total of the first response. */
  readonly opening?: (total: ReportedTotal) => OpeningResult
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function documentsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `{"id":"${index}"}`)
}

/** A platform, a store and a clock in memory, with a journal of what the loop did. */
export function simulate(given: Simulation = {}) {
  const { tokens = 'cursor', tokenHeader = 'every', requestTakesMs = 0, end = {} } = given
  const { documents: sent = 10 } = given
  const all = typeof sent === 'number' ? documentsOf(sent) : sent
  const entity = entityNamed('CL', { pageSize: given.pageSize ?? 3, query: given.query ?? {} })
  const totalOf = given.total ?? (() => String(all.length))
  const journal: string[] = []
  const targets: string[] = []
  const clock = { now: 1_800_000_000_000 }
  const store: { lines: string[]; position: Position } = {
    lines: [],
    position: startPosition(entity.pageSize),
  }
  const memory = { pages: 0, most: 0, background: 0 }
  const count = { requests: 0, stored: 0, scrolls: 0, timeChecks: 0 }
  const linesOf = new WeakMap<PreparedPage, string[]>()
  const malformed = new Set<string>()
  /** Whether this worker receives the scroll from its first page on. */
  let hasAll = true
  const cursors = new Map<string, { at: number; size: number }>()

  /** The next page, which moves the cursor. */
  function nextPage(query: URLSearchParams): { response: UpstreamResponse; body: string } {
    const asked = query.get('_token')
    const [name, place] = (asked ?? `scroll-${++count.scrolls}:0`).split(':')
    const key = name ?? ''
    const known = cursors.get(key) ?? {
      at: 0,
      size: Math.min(Number(query.get('_size')), given.maxPageDocuments ?? 1000),
    }
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
    return { body, response: { status: isEnd ? (end.status ?? 200) : 200, headers, body: Buffer.from(body) } }
  }

  function responseTo(target: string, fault: Fault | undefined): UpstreamResponse {
    if (fault && 'throws' in fault) throw fault.throws
    if (fault && 'instead' in fault) {
      if (fault.instead === 'unreachable') throw new UpstreamFailure('unreachable')
      const body = Buffer.from(fault.body ?? '{"Message":"no"}')
      return { status: fault.instead, headers: fault.headers ?? {}, body }
    }
    const { response, body } = nextPage(new URL(target, 'http://x').searchParams)
    if (!fault) return response
    if (fault.lost === 'html') return { ...response, body: Buffer.from('<html></html>') }
    if (fault.lost === 'aged') return { ...response, headers: { ...response.headers, age: '61' } }
    if (fault.lost === 'empty') return { ...response, body: Buffer.from('') }
    if (fault.lost === 'cut-off') return { ...response, body: Buffer.from(body.slice(0, -2) || '[') }
    // Bracketed, but not JSON: two documents without a comma.
    if (fault.lost === 'malformed') return { ...response, body: Buffer.from(body.replace(/^\[/, '[{}')) }
    if (fault.lost === 'too-many') return { ...response, body: Buffer.from(`[{}${',{}'.repeat(45_000)}]`) }
    throw new UpstreamFailure(fault.lost)
  }

  const io: ScrollIo = {
    async request(target) {
      const number = ++count.requests
      targets.push(target)
      journal.push(`request ${number}`)
      clock.now += requestTakesMs
      await turns(given.requestTurns?.(number) ?? 1)
      const response = responseTo(target, given.faults?.(number))
      if (response.status === 200 && response.body.includes('{')) {
        memory.pages++
        memory.most = Math.max(memory.most, memory.pages)
      }
      return response
    },
    redact: (text) => text.replaceAll('secret-key', '***'),
    async prepare(body) {
      memory.background++
      try {
        await turns(given.prepareTurns ?? 0)
        const { lines, ...split } = splitPageInPlace(body, 'id')
        if (split.documents > 45_000) throw new TooManyDocuments(split.documents)
        const page = { ...split, object: lines, sha256: Buffer.alloc(32) }
        linesOf.set(page, lines.toString().split('\n').filter(Boolean))
        return page
      } catch (error) {
        memory.pages--
        journal.push('malformed')
        throw error
      } finally {
        memory.background--
      }
    },
    takeReceived: () => ({ request: '', exchanges: [], bodySha256: '' }),
    giveBack: () => undefined,
    async storePage({ page: prepared, cursor, after }) {
      const call = ++count.stored
      const page = after.page + 1
      journal.push(`store ${page}`)
      memory.background++
      try {
        await turns(given.storeTurns?.(page) ?? 1)
        const thrown = given.storeThrows?.(call)
        if (thrown) throw thrown
        journal.push(`commit ${page}`)
        store.lines.push(...(linesOf.get(prepared) ?? []))
        const documentsSoFar = after.documentsSoFar + prepared.documents
        store.position = { ...cursor, kind: 'page', page, documentsSoFar, repeatedPages: 0 }
        return store.position
      } catch (error) {
        journal.push(`${(error as Error).name} ${page}`)
        throw error
      } finally {
        memory.pages--
        memory.background--
      }
    },
    async storeEnd(cursor, { page, documentsSoFar, repeatedPages }, evidence) {
      journal.push(evidence === 'confirmed' ? 'end' : `${evidence} end`)
      const end = { kind: 'end', page: page + 1, documentsSoFar, repeatedPages, evidence } as const
      store.position = { ...cursor, ...end }
      return { ...cursor, ...end }
    },
    beforeOpening: async () => {},
    checkOpening: async (total) => given.opening?.(total) ?? { kind: 'agreement', total },
    async repeatsFirstPage(page) {
      const [first] = linesOf.get(page) ?? []
      return first !== undefined && first === store.lines[0]
    },
    uniqueIds: () => (hasAll ? new Set(store.lines).size : undefined),
    async isMalformedAgain(signature) {
      if (malformed.has(signature)) return true
      malformed.add(signature)
      return false
    },
    async markSuspect(detail) {
      await turns(1)
      journal.push(`suspect: ${detail}`)
    },
    async wait(ms) {
      journal.push(`sleep ${ms}`)
      clock.now += ms
    },
    now: () => clock.now,
    random: () => 1,
    timeIsUp: () => given.timeIsUp?.(++count.timeChecks) ?? false,
  }

  /** Scrolls from what is committed, as a worker that has nothing in memory. */
  const run = (change: Partial<ScrollStart> & { io?: Partial<ScrollIo> } = {}) => {
    const { io: changed, ...start } = change
    memory.pages = 0
    hasAll = store.position.kind === 'start'
    return scroll(
      {
        entity: entity.name,
        query: entity.query,
        isRange: false,
        totals: 'check',
        tokenHeader: 'x-svc-md-token',
        position: store.position,
        retryState: undefined,
        ...start,
      },
      { ...io, ...changed },
    )
  }

  /** Scrolls like a sequence of workers, until the scroll no longer waits. */
  const runToEnd = async (): Promise<ScrollEnd> => {
    let end = await run()
    while (end.kind === 'wait' || end.kind === 'time-is-up') {
      clock.now += end.kind === 'wait' ? end.waitMs : 0
      const { retryState, pageSize } = end
      const position: Position = store.position.kind === 'start' ? startPosition(pageSize) : store.position
      end = await run({ retryState, position })
    }
    return end
  }
  const isSuspect = () => journal.some((entry) => entry.startsWith('suspect'))
  return {
    run,
    runToEnd,
    request: (target: string) => io.request(target, 'later'),
    all,
    entity,
    journal,
    targets,
    clock,
    store,
    memory,
    count,
    cursors,
    isSuspect,
  }
}

/** A fault of the requests with these numbers. */
export const at =
  (...requests: readonly number[]) =>
  (fault: Fault) =>
  (request: number) =>
    requests.includes(request) ? fault : undefined

/** Every test of the file fails in which a rejection is not handled. */
export function failOnUnhandledRejections(): void {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  beforeEach(() => {
    unhandled.length = 0
    process.on('unhandledRejection', note)
  })
  afterEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    process.off('unhandledRejection', note)
    if (unhandled.length > 0) throw new Error('A rejection was not handled.', { cause: unhandled[0] })
  })
}
