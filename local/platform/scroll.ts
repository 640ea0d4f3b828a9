import { createHash } from 'node:crypto'
import { type Answer, json, jsonBytes, refusal } from './answer.ts'
import { countOf, type DocumentSource, sliceOf } from './documents.ts'
import type { Fault } from './faults.ts'
import { project, select } from './query.ts'
import type { ReceivedRequest, ScrollPlace } from './received-request.ts'
import { type Rendering, renderPage } from './rendering.ts'
import { type Total, totalText } from './total.ts'

/** How this platform scrolls. In practice deployments differ in all of it. */
export interface ScrollBehaviour {
  /**
   * `cursor`: one token a scroll, each request with it gives the NEXT page. `positional`: each answer brings a
   * new token, and an old one gives its page again. `changing-cursor`: new tokens too, but each moves the cursor.
   */
  tokens: 'cursor' | 'positional' | 'changing-cursor'
  /** Which answers carry the token header. `first` makes no sense for positional tokens. */
  tokenHeader: 'every' | 'first'
  /** Counted from the last request. */
  tokenLifeMs: number
  end: 'empty' | 'brackets' | 'no-content' | 'white-space'
  rendering: Rendering
  total: Total
  /** Scrolls that may be open at once; one more answers 429. */
  maxScrolls: number
  /** A first request with a greater `_size` answers 408. */
  timeoutOverSize: number
  /** After the last page comes the first again, and no end. */
  endless: boolean
  /** Documents created or deleted during a scroll show in it. */
  live: boolean
}

export const usualScroll: ScrollBehaviour = {
  tokens: 'cursor',
  tokenHeader: 'every',
  tokenLifeMs: 20 * 60_000,
  end: 'empty',
  rendering: 'compact',
  total: 'right',
  maxScrolls: 10,
  timeoutOverSize: Number.POSITIVE_INFINITY,
  endless: false,
  live: false,
}

export interface Scrolls {
  /** Says where a scroll request stands, and counts it. Called once for each. */
  place(request: ReceivedRequest): ScrollPlace | undefined
  answer(request: ReceivedRequest, fault: Fault | undefined): Answer
  /** Every token given so far is dead from now on. */
  expire(): void
}

interface Scroll {
  readonly entity: string
  readonly number: number
  readonly size: number
  readonly query: URLSearchParams
  readonly source: DocumentSource
  requests: number
  /** The next page, from 0. */
  position: number
  answers: number
  lastRequestMs: number
  ended: boolean
}

interface Deployment {
  readonly documents: ReadonlyMap<string, DocumentSource>
  readonly scroll: ScrollBehaviour
  readonly headerPrefix: string
}

const defaultSize = 100

export function createScrolls(deployment: Deployment): Scrolls {
  const begun = new Map<string, number>()
  /** Every token ever given, its scroll and (for positional tokens) its page. */
  const tokens = new Map<string, { scroll: Scroll; page: number }>()
  const open = new Set<Scroll>()

  function place(request: ReceivedRequest): ScrollPlace | undefined {
    const token = request.query.get('_token')
    if (token === null) {
      const scroll = (begun.get(request.name) ?? 0) + 1
      begun.set(request.name, scroll)
      return { scroll, request: 1, page: 1 }
    }
    const known = tokens.get(token)
    if (!known) return undefined
    const { scroll } = known
    scroll.requests += 1
    return { scroll: scroll.number, request: scroll.requests, page: pageOf(known) + 1 }
  }

  function pageOf(known: { scroll: Scroll; page: number }): number {
    return deployment.scroll.tokens === 'positional' ? known.page : known.scroll.position
  }

  function answer(request: ReceivedRequest, fault: Fault | undefined): Answer {
    const token = request.query.get('_token')
    if (fault?.kind === 'expire-token' && token !== null) forget(tokens.get(token)?.scroll)
    for (const scroll of open) if (isDead(scroll)) forget(scroll)
    if (token === null) {
      const scroll = begin(request)
      return 'body' in scroll ? scroll : page(scroll, 0, fault)
    }
    if (request.query.has('_size'))
      return refusal('documents', 400, '_size belongs to the first request only')
    const known = tokens.get(token)
    if (!known || known.scroll.entity !== request.name || isDead(known.scroll)) {
      return json({ Message: `Operation not found for this token: '${token}'` }, 400)
    }
    known.scroll.lastRequestMs = Date.now()
    return page(known.scroll, pageOf(known), fault)
  }

  function begin(request: ReceivedRequest): Scroll | Answer {
    const { name: entity, query } = request
    const source = deployment.documents.get(entity)
    if (!source) return refusal('documents', 404, `Data entity '${entity}' not found`)
    const size = Number(query.get('_size') ?? defaultSize)
    if (!Number.isInteger(size) || size < 1 || size > 1000) {
      return refusal('documents', 400, 'The _size must be between 1 and 1000')
    }
    if (size > deployment.scroll.timeoutOverSize) return refusal('documents', 408, 'Request Timeout')
    if (open.size >= deployment.scroll.maxScrolls)
      return refusal('documents', 429, 'Too many scrolls at once')
    const selected = select(source, query)
    const scroll: Scroll = {
      entity,
      number: begun.get(entity) ?? 1,
      size,
      query,
      source: Array.isArray(selected) ? [...selected] : selected,
      requests: 1,
      position: 0,
      answers: 0,
      lastRequestMs: Date.now(),
      ended: false,
    }
    open.add(scroll)
    return scroll
  }

  function page(scroll: Scroll, asked: number, fault: Fault | undefined): Answer {
    const { entity, size, query } = scroll
    const behaviour = deployment.scroll
    const source = behaviour.live ? select(deployment.documents.get(entity) ?? [], query) : scroll.source
    const { given, next } = movement(asked, fault)
    const pages = Math.ceil(countOf(source) / size)
    const index = behaviour.endless && pages > 0 ? given % pages : given
    const stored = fault?.kind === 'end' ? [] : sliceOf(source, index * size, (index + 1) * size)
    const documents = fault?.kind === 'page' ? fault.change(stored) : stored
    scroll.position = next
    scroll.answers += 1
    const headers: Record<string, string> = {}
    if (behaviour.tokenHeader === 'every' || scroll.answers === 1) {
      headers[`${deployment.headerPrefix}-MD-TOKEN`] = give(scroll, next)
    }
    const total = totalText(fault?.kind === 'total' ? fault.total : behaviour.total, countOf(source))
    if (total !== undefined) headers['REST-Content-Total'] = total
    if (documents.length === 0) {
      scroll.ended = true
      open.delete(scroll)
      return endOf(behaviour.end, headers)
    }
    const shown = documents.map((document) => project(document, query))
    return jsonBytes(renderPage(shown, behaviour.rendering), headers)
  }

  function give(scroll: Scroll, page: number): string {
    const mark = { cursor: 0, positional: page, 'changing-cursor': scroll.answers }[deployment.scroll.tokens]
    // Base64 has characters that a query must escape: a client that forgets to loses its scroll here.
    const hash = createHash('sha256').update(`${scroll.entity}/${scroll.number}/${mark}`)
    const token = hash.digest('base64')
    tokens.set(token, { scroll, page })
    return token
  }

  function isDead(scroll: Scroll): boolean {
    return Date.now() - scroll.lastRequestMs > deployment.scroll.tokenLifeMs
  }

  function forget(scroll: Scroll | undefined) {
    if (!scroll) return
    scroll.lastRequestMs = Number.NEGATIVE_INFINITY
    open.delete(scroll)
  }

  return {
    place,
    answer,
    expire() {
      for (const { scroll } of tokens.values()) forget(scroll)
    },
  }
}

/** Which page an answer gives and which one is next, when the cursor stands at page `asked`. */
function movement(asked: number, fault: Fault | undefined): { given: number; next: number } {
  if (fault?.kind === 'repeat-page') {
    return { given: Math.max(0, asked - 1), next: fault.lose ? asked + 1 : asked }
  }
  if (fault?.kind === 'skip-page') return { given: asked + 1, next: asked + 2 }
  return { given: asked, next: asked + 1 }
}

function endOf(form: ScrollBehaviour['end'], headers: Record<string, string>): Answer {
  if (form === 'no-content') return { status: 204, headers, body: Buffer.alloc(0) }
  return jsonBytes(Buffer.from({ empty: '', brackets: '[]', 'white-space': ' \r\n\t ' }[form]), headers)
}
