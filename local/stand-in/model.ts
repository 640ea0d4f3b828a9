import { createHash } from 'node:crypto'
import type { Area } from '../../functions/platform/areas.ts'
import { countOf, type DocumentSource, sliceOf } from './documents.ts'
import type { InjectedFault } from './faults.ts'
import { jsonBytes, type PlatformResponse, platformJson, refusalResponse } from './platform-response.ts'
import type { PlatformRequest } from './received-request.ts'
import { renderPage } from './rendering.ts'
import { createScrolls, type StandInScroll } from './scrolls/scroll.ts'
import { type ScrollBehaviour, usualScroll } from './scrolls/scroll-behaviour.ts'
import { totalText } from './scrolls/total.ts'
import { type SearchBehaviour, usualSearch } from './search/search-behaviour.ts'
import { project, select, sort } from './search/select.ts'
import { patchGroup, patchSubscription, type SubscriptionGroup } from './subscriptions.ts'

/** What the platform stores and how it behaves can be changed at any time. */
export type PlatformModel = ReturnType<typeof createPlatformModel>

export interface AcceptedCredentials {
  readonly appKey: string
  readonly appToken: string
  /** The areas that these credentials may use (403 elsewhere); all if absent. */
  readonly areas?: readonly Area[]
}

export const localCredentials: AcceptedCredentials = { appKey: 'local-app-key', appToken: 'local-app-token' }

export interface PlatformModelOptions {
  readonly headerPrefix?: string
  readonly documents?: Readonly<Record<string, DocumentSource>>
  readonly docks?: Readonly<Record<string, Buffer>>
  readonly groups?: Readonly<Record<string, SubscriptionGroup>>
  readonly subscriptions?: Readonly<Record<string, Record<string, unknown>>>
  readonly credentials?: readonly AcceptedCredentials[]
  readonly rejectStatus?: 401 | 403
  readonly rangeSeparator?: '=' | ' '
  readonly scroll?: Partial<ScrollBehaviour>
  readonly search?: Partial<SearchBehaviour>
  /** Epoch milliseconds. */
  readonly now?: () => number
  readonly onPage?: (scroll: StandInScroll, documents: readonly Buffer[]) => void
}

/** The commerce platform without a network: served over HTTP, or called by tests in virtual time. */
export function createPlatformModel(options: PlatformModelOptions = {}) {
  const stored = {
    headerPrefix: options.headerPrefix ?? 'X-SVC',
    documents: new Map(Object.entries(options.documents ?? {})),
    docks: new Map(Object.entries(options.docks ?? {})),
    groups: new Map(Object.entries(options.groups ?? {})),
    subscriptions: new Map(Object.entries(options.subscriptions ?? {})),
    credentials: [...(options.credentials ?? [localCredentials])],
    /** The status of the response to unknown credentials. */
    rejectStatus: options.rejectStatus ?? 401,
    /** After the unit in REST-Content-Range: `resources=0-1/7` (the interface) or `resources 0-1/7` (in the field). */
    rangeSeparator: options.rangeSeparator ?? ('=' as const),
    scroll: { ...usualScroll, ...options.scroll },
    search: { ...usualSearch, ...options.search },
    now: options.now ?? Date.now,
    ...(options.onPage && { onPage: options.onPage }),
  }
  const scrolls = createScrolls(stored)
  return Object.assign(stored, {
    /** Locates a scroll request in its scroll and counts it: once per request, before the response. */
    place: (request: PlatformRequest) => scrolls.place(request),
    respond,
    scrollOf: (token: string) => scrolls.scrollOf(token),
    /** Expires every scroll token that was issued so far. */
    expireTokens: () => scrolls.expire(),
  })

  function respond(request: PlatformRequest, fault: InjectedFault | undefined): PlatformResponse {
    if (request.kind === 'unknown') return refusalResponse(undefined, 404, 'Not Found')
    const rejected = reject(request)
    if (rejected) return rejected
    switch (request.kind) {
      case 'dock': {
        const dock = stored.docks.get(request.name)
        return dock ? jsonBytes(dock) : refusalResponse('logistics', 404, `Dock ${request.name} not found`)
      }
      case 'configured':
        return respondToConfigured(stored, request)
      case 'group':
        return patchGroup(stored.groups, request)
      case 'subscription':
        return patchSubscription(stored.subscriptions, request)
      case 'search':
        return respondToSearch(stored, request, fault)
      case 'scroll':
        return scrolls.respond(request, fault)
    }
  }

  function reject(request: PlatformRequest): PlatformResponse | undefined {
    const prefix = stored.headerPrefix.toLowerCase()
    const appKey = request.headers[`${prefix}-api-appkey`]
    const appToken = request.headers[`${prefix}-api-apptoken`]
    const known = stored.credentials.find((pair) => pair.appKey === appKey && pair.appToken === appToken)
    if (!known) return refusalResponse(request.area, stored.rejectStatus, 'Access denied')
    const { area } = request
    if (!area || !known.areas || known.areas.includes(area)) return undefined
    return refusalResponse(area, 403, 'These credentials may not use this area')
  }
}

/** The platform sends these with another value, or not at all. */
const ownNames = ['content-type', 'content-encoding', 'retry-after', 'etag', 'last-modified']

/** A stored subscription or group at its path. At other paths, what was asked for, with a 1 in each header. */
function respondToConfigured(
  { subscriptions, groups }: Readonly<Record<'subscriptions' | 'groups', ReadonlyMap<string, unknown>>>,
  { endpoint, area, name, query, headers: given }: PlatformRequest,
): PlatformResponse {
  const stored = new Map<string | undefined, ReadonlyMap<string, unknown>>([
    ['/api/rns/subscriptions/{subscriptionId}', subscriptions],
    ['/api/rns/subscriptions-group/{groupId}', groups],
  ]).get(endpoint?.path)
  const value = stored ? stored.get(name) : { endpoint: endpoint?.path, name, query: [...query] }
  if (value === undefined) return refusalResponse(area, 404, `${name} not found`)
  const { body, headers } = platformJson(value)
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  if (given['if-none-match'] === etag) return { status: 304, headers: { ETag: etag }, body: Buffer.alloc(0) }
  const own = endpoint?.responseHeaders.filter((name) => !ownNames.includes(name)).map((name) => [name, '1'])
  return { status: 200, headers: { ...headers, ...Object.fromEntries(own ?? []), ETag: etag }, body }
}

const maxPerSearch = 100
/** In the field a search returns nothing beyond it: that is what scroll is for. */
const lastDocument = 10_000

/** Interface section 4.4: `REST-Range: resources=x-y` with an exclusive end; the first ten without it. */
function respondToSearch(
  deployment: Pick<PlatformModel, 'documents' | 'scroll' | 'rangeSeparator' | 'search'>,
  request: PlatformRequest,
  fault: InjectedFault | undefined,
): PlatformResponse {
  const { name: entity, query } = request
  const source = deployment.documents.get(entity)
  if (!source) return refusalResponse('documents', 404, `Data entity '${entity}' not found`)
  const header = String(request.headers['rest-range'] ?? 'resources=0-10')
  const match = /^resources=(\d+)-(\d+)$/.exec(header)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || to <= from) return refusalResponse('documents', 400, `Invalid REST-Range: ${header}`)
  if (to - from > maxPerSearch) return refusalResponse('documents', 400, 'At most 100 documents per request')
  if (from >= lastDocument)
    return refusalResponse('documents', 400, 'Search stops at document 10000: use scroll')
  const { search } = deployment
  const selected = select(source, query, { fault, filtering: search.filter, search })
  if (selected.kind === 'refused') return refusalResponse('documents', 400, selected.message)
  const found = sort(selected.source, query)
  const stored = sliceOf(found, from, Math.min(to, lastDocument))
  const documents = fault?.kind === 'page' ? fault.change(stored) : stored
  const shown = documents.map((document) => project(document, query))
  const body = shown.length === 0 ? Buffer.from('[]') : renderPage(shown, deployment.scroll.rendering)
  const total = totalText(search.total, countOf(found))
  const range = `resources${deployment.rangeSeparator}${from}-${from + documents.length}/${total}`
  return jsonBytes(body, total === undefined ? {} : { 'REST-Content-Range': range })
}
