import { countOf, type DocumentSource, sliceOf } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import { jsonBytes, type PlatformResponse, platformJson, refusalResponse } from '../platform-response.ts'
import type { PlatformRequest } from '../received-request.ts'
import { renderPage } from '../rendering.ts'
import type { SearchBehaviour } from '../search/search-behaviour.ts'
import { project, select } from '../search/select.ts'
import { type ScrollBehaviour, scrollEnd } from './scroll-behaviour.ts'
import type { ScrollPlace } from './scroll-place.ts'
import { type ScrollTotal, totalText } from './total.ts'

export function createScrolls(deployment: ScrollDeployment) {
  const opened = new Map<string, number>()
  /** Every token that was issued, its scroll and (for positional tokens) its page. */
  const tokens = new Map<string, { scroll: StandInScroll; page: number }>()
  const open = new Set<StandInScroll>()

  /** Locates a scroll request and counts it. Called once per request. */
  function place(request: PlatformRequest): ScrollPlace | undefined {
    const token = request.query.get('_token')
    if (token === null) {
      const scroll = (opened.get(request.name) ?? 0) + 1
      opened.set(request.name, scroll)
      return { scroll, request: 1, page: 1 }
    }
    const known = tokens.get(token)
    if (!known) return undefined
    known.scroll.requests += 1
    return { scroll: known.scroll.number, request: known.scroll.requests, page: pageOf(known) + 1 }
  }

  function pageOf(known: { scroll: StandInScroll; page: number }): number {
    return deployment.scroll.tokens === 'positional' ? known.page : known.scroll.position
  }

  function respond(request: PlatformRequest, fault: InjectedFault | undefined): PlatformResponse {
    const token = request.query.get('_token')
    if (fault?.kind === 'expire-token' && token !== null) forget(tokens.get(token)?.scroll)
    for (const scroll of open) if (isExpired(scroll)) forget(scroll)
    if (token === null) {
      const number = opened.get(request.name) ?? 1
      const scroll = openScroll(deployment, request, { number, open: open.size, fault })
      if ('body' in scroll) return scroll
      open.add(scroll)
      return page(scroll, { index: 0, fault })
    }
    if (request.query.has('_size')) {
      return refusalResponse('documents', 400, '_size is allowed in the first request only')
    }
    const known = tokens.get(token)
    if (!known || known.scroll.entity !== request.name || refuses(known.scroll, token)) {
      return platformJson({ Message: `Operation not found for this token: '${token}'` }, 400)
    }
    known.scroll.lastRequestMs = deployment.now()
    return page(known.scroll, { index: pageOf(known), fault })
  }

  function refuses(scroll: StandInScroll, token: string): boolean {
    const { tokens, afterEnd } = deployment.scroll
    if (isExpired(scroll)) return true
    if (tokens === 'newest-only' && token !== scroll.newestToken) return true
    return scroll.ended && afterEnd === 'expired' && tokens !== 'positional'
  }

  /** The documents that this scroll sees now. */
  function currentSource(scroll: StandInScroll): DocumentSource {
    if (!deployment.scroll.live) return scroll.source
    const stored = deployment.documents.get(scroll.entity) ?? []
    const { search } = deployment
    const filtering = scroll.ignoresFilter ? 'ignored' : deployment.scroll.filter
    const selected = select(stored, scroll.query, { fault: undefined, filtering, search })
    return selected.kind === 'selected' ? selected.source : []
  }

  function page(
    scroll: StandInScroll,
    { index: asked, fault }: { index: number; fault: InjectedFault | undefined },
  ): PlatformResponse {
    const { pageLength } = scroll
    const behaviour = deployment.scroll
    const source = currentSource(scroll)
    const { sent, next } = movement(asked, fault)
    const pages = Math.ceil(countOf(source) / pageLength)
    const index = scroll.endless && pages > 0 ? sent % pages : sent
    const stored = fault?.kind === 'end' ? [] : sliceOf(source, index * pageLength, (index + 1) * pageLength)
    const documents = fault?.kind === 'page' ? fault.change(stored) : stored
    scroll.position = next
    scroll.responses += 1
    const isOnlyPage = scroll.responses === 1 && pages === 1 && behaviour.onlyPage === 'without-token'
    const headers = {
      ...tokenHeader(scroll, { next, isOnlyPage, fault }),
      ...totalHeader(scroll, source, fault),
    }
    deployment.onPage?.(scroll, documents)
    const isEnd = documents.length === 0 && !(fault?.kind === 'end' && fault.cursor === 'stays')
    if (isEnd && behaviour.afterEnd === 'again') scroll.position = 0
    if (isEnd || isOnlyPage) {
      scroll.ended = true
      open.delete(scroll)
    }
    const form = fault?.kind === 'end-form' ? fault.form : behaviour.end
    if (documents.length === 0) return scrollEnd(form, headers, scroll.responses === 1)
    const shown = documents.map((document) => project(document, scroll.query))
    return jsonBytes(renderPage(shown, behaviour.rendering), headers)
  }

  function tokenHeader(
    scroll: StandInScroll,
    { next, isOnlyPage, fault }: { next: number; isOnlyPage: boolean; fault: InjectedFault | undefined },
  ): Record<string, string> {
    const { tokenHeader } = deployment.scroll
    if (isOnlyPage || tokenHeader === 'never' || (tokenHeader === 'first' && scroll.responses > 1)) return {}
    const own = issueToken(scroll, next)
    const foreign = fault?.kind === 'foreign-token' ? newestTokenOfAnother(scroll) : undefined
    return { [`${deployment.headerPrefix}-MD-TOKEN`]: foreign ?? own }
  }

  function newestTokenOfAnother(scroll: StandInScroll): string | undefined {
    const others = [...tokens.values()].filter((known) => known.scroll !== scroll)
    return others.at(-1)?.scroll.newestToken
  }

  function issueToken(scroll: StandInScroll, page: number): string {
    const mark = {
      cursor: 0,
      positional: page,
      'changing-cursor': scroll.responses,
      'newest-only': scroll.responses,
    }
    // `+`, `/` and `=` must be escaped in a query: a client that does not loses its scroll here.
    const token = `${scroll.entity}/${scroll.number}+${mark[deployment.scroll.tokens]}=`
    tokens.set(token, { scroll, page })
    scroll.newestToken = token
    return token
  }

  function isExpired(scroll: StandInScroll): boolean {
    return deployment.now() - scroll.lastRequestMs > deployment.scroll.tokenLifeMs
  }

  function forget(scroll: StandInScroll | undefined) {
    if (!scroll) return
    scroll.lastRequestMs = Number.NEGATIVE_INFINITY
    open.delete(scroll)
  }

  return {
    place,
    respond,
    scrollOf: (token: string) => tokens.get(token)?.scroll,
    /** Expires every token. */
    expire() {
      for (const { scroll } of tokens.values()) forget(scroll)
    },
  }
}

/** The header that reports how many documents match. */
function totalHeader(
  scroll: StandInScroll,
  source: DocumentSource,
  fault: InjectedFault | undefined,
): Record<string, string> {
  const text = totalText(fault?.kind === 'total' ? fault.total : scroll.total, countOf(source))
  return text === undefined ? {} : { 'REST-Content-Total': text }
}

/** Which page a response sends and which one is next, when the cursor is at page `asked`. */
function movement(asked: number, fault: InjectedFault | undefined): { sent: number; next: number } {
  if (fault?.kind === 'repeat-page') {
    return { sent: Math.max(0, asked - 1), next: fault.lose ? asked + 1 : asked }
  }
  if (fault?.kind === 'skip-page') return { sent: asked + 1, next: asked + 2 }
  if (fault?.kind === 'end' && fault.cursor === 'stays') return { sent: asked, next: asked }
  return { sent: asked, next: asked + 1 }
}

export interface StandInScroll {
  readonly entity: string
  /** Counted from 1 per entity. */
  readonly number: number
  readonly query: URLSearchParams
  /** The documents that matched at the first request. */
  readonly source: DocumentSource
  readonly pageLength: number
  readonly total: ScrollTotal
  readonly endless: boolean
  readonly ignoresFilter: boolean
  requests: number
  /** Index of the next page. */
  position: number
  responses: number
  lastRequestMs: number
  newestToken: string | undefined
  ended: boolean
}

export interface ScrollDeployment {
  readonly documents: ReadonlyMap<string, DocumentSource>
  readonly scroll: ScrollBehaviour
  readonly search: SearchBehaviour
  readonly headerPrefix: string
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onPage?: (scroll: StandInScroll, documents: readonly Buffer[]) => void
}

const defaultSize = 100

/** Opens the scroll with this number, or refuses it. `open`: how many scrolls are open. */
function openScroll(
  deployment: ScrollDeployment,
  request: PlatformRequest,
  { number, open, fault }: { number: number; open: number; fault: InjectedFault | undefined },
): StandInScroll | PlatformResponse {
  const { name: entity, query } = request
  const { scroll, search } = deployment
  const { timeoutOverSize, maxScrolls, pageScale, maxPageLength, total, endless } = scroll
  const stored = deployment.documents.get(entity)
  if (!stored) return refusalResponse('documents', 404, `Data entity '${entity}' not found`)
  const size = Number(query.get('_size') ?? defaultSize)
  if (!Number.isInteger(size) || size < 1 || size > 1000) {
    return refusalResponse('documents', 400, 'The _size must be between 1 and 1000')
  }
  if (size > timeoutOverSize) return refusalResponse('documents', 408, 'Request Timeout')
  if (open >= maxScrolls) {
    return platformJson({ Message: `Maximum simultaneous scrolls rate exceeded (${maxScrolls})` }, 400)
  }
  const selected = select(stored, query, { fault, filtering: scroll.filter, search })
  if (selected.kind === 'refused') return refusalResponse('documents', 400, selected.message)
  const { source } = selected
  return {
    entity,
    number,
    query,
    source: Array.isArray(source) ? [...source] : source,
    pageLength: Math.max(1, Math.min(maxPageLength, Math.round(size * pageScale))),
    total: fault?.kind === 'total' ? fault.total : total,
    endless: endless || fault?.kind === 'endless',
    ignoresFilter: fault?.kind === 'ignore-filter',
    requests: 1,
    position: 0,
    responses: 0,
    lastRequestMs: deployment.now(),
    newestToken: undefined,
    ended: false,
  }
}
