import type { Area } from './areas.ts'
import { platformHeaders } from './headers.ts'
import { accountQuery, type OtherQuery } from './query-names.ts'

/** A query parameter that is missing, or one that is accepted together with another but not forwarded with it. */
export type QueryWarning =
  | { readonly withoutQuery: string }
  | { readonly ignoredQuery: string; readonly togetherWith: string }

/**
 * One endpoint of the platform that the API proxy serves. Routes, dispatch, validation, the OpenAPI document and the
 * table-driven tests are generated from the table below: to add an endpoint, add an entry.
 */
export interface Endpoint {
  readonly name: string
  readonly method: 'GET' | 'PATCH'
  /** Template of the route, and of the platform's path too unless `upstreamPath` names a setting. */
  readonly path: string
  readonly upstreamPath?: 'searchPath'
  /** Whether callers may add a slash to the path. It is not forwarded. */
  readonly trailingSlash?: true
  readonly area: Area
  /** The scope that a caller's token needs with JWT authorization. */
  readonly scope: string
  /** Query parameters that are forwarded. Every endpoint also accepts the account (`accountQuery`). */
  readonly query: readonly string[]
  /** Which other names are forwarded. */
  readonly otherQuery: 'none' | OtherQuery
  /** Request headers of the caller that are forwarded; names in lower case. */
  readonly requestHeaders: readonly string[]
  /** Response headers of the platform that are relayed; `{prefix}` is replaced by the configured header prefix. */
  readonly responseHeaders: readonly string[]
  /** The body: none, or an object whose `item`, if present, has this type. */
  readonly body: 'none' | 'object-with-item-array' | 'object-with-item-object'
  /** Whether a request may be sent again after a failure: always, or only if the platform did not act on it. */
  readonly repeatable: 'safe' | 'only-if-not-done'
  /** A response header that Longshore adds because of the caller's query. */
  readonly warning?: QueryWarning & { readonly text: string }
  /** The response header that carries the next page's token, and the query parameter that sends it. */
  readonly nextPage?: { readonly tokenHeader: string; readonly tokenQuery: string }
  /** What a caller can do without the response: request a smaller one, or read what a PATCH changed. */
  readonly withoutResponse: string
}

/** Accept-Encoding and Content-Encoding are forwarded, so that a compressed body can be relayed unchanged. */
export const requestHeaders = ['accept', 'accept-encoding', 'traceparent']
export const responseHeaders = ['content-type', 'content-encoding', 'retry-after']

const documentQuery = ['_fields', '_where', '_sort', '_keyword', '_schema']

/** Where to read what a PATCH changed, unless the configuration has a route for it. */
export const onPlatform = 'on the platform'

/** Not `Warning`, which RFC 9111 section 5.5 made obsolete. Every endpoint has it. */
export const warningHeader = 'longshore-warning'

/** The worker requests this path too. */
export const scrollPath = '/api/dataentities/{data_entity}/scroll'

/** The text of a 400 for a scroll that may be opened when another one has ended. */
export const tooManyScrolls = /maximum simultaneous scrolls/i

/** The built-in endpoints; the numbers are sections of the platform's interface. */
export const endpoints: readonly Endpoint[] = [
  // 4.1
  {
    name: 'read-dock',
    method: 'GET',
    path: '/api/logistics/pvt/configuration/docks/{dockId}',
    area: 'logistics',
    scope: 'docks:read',
    query: [],
    otherQuery: 'none',
    requestHeaders,
    responseHeaders,
    body: 'none',
    repeatable: 'safe',
    withoutResponse:
      'No parameter makes the response of a dock smaller. Make the dock smaller on the platform.',
  },
  // 4.2
  {
    name: 'update-subscription-group',
    method: 'PATCH',
    path: '/api/rns/subscriptions-group/{groupId}',
    area: 'subscriptions',
    scope: 'subscriptions:write',
    query: [accountQuery],
    otherQuery: 'none',
    requestHeaders: [...requestHeaders, 'content-type'],
    responseHeaders,
    body: 'object-with-item-array',
    repeatable: 'only-if-not-done',
    withoutResponse: `Read the subscription group ${onPlatform}`,
  },
  // 4.3
  {
    name: 'update-subscription',
    method: 'PATCH',
    path: '/api/rns/subscriptions/{subscriptionId}',
    area: 'subscriptions',
    scope: 'subscriptions:write',
    query: [],
    otherQuery: 'none',
    requestHeaders: [...requestHeaders, 'content-type'],
    responseHeaders,
    body: 'object-with-item-object',
    repeatable: 'only-if-not-done',
    withoutResponse: `Read the subscription ${onPlatform}`,
  },
  // 4.4
  {
    name: 'search-documents',
    method: 'GET',
    path: '/api/dataentities/{data_entity}/search',
    upstreamPath: 'searchPath',
    trailingSlash: true,
    area: 'documents',
    scope: 'documents:read',
    query: documentQuery,
    otherQuery: 'fields',
    requestHeaders: [...requestHeaders, platformHeaders.range],
    responseHeaders: [...responseHeaders, platformHeaders.contentRange],
    body: 'none',
    repeatable: 'safe',
    warning: {
      withoutQuery: '_sort',
      text: 'Without _sort the order is not guaranteed: pages may repeat or omit documents.',
    },
    withoutResponse:
      'Request fewer documents with REST-Range, fewer fields with _fields, or scroll with a small _size.',
  },
  // 4.5. Not repeatable although it is a GET: the token moves a cursor on the platform.
  {
    name: 'scroll-documents',
    method: 'GET',
    path: scrollPath,
    area: 'documents',
    scope: 'documents:read',
    query: [...documentQuery, '_size', '_token'],
    otherQuery: 'fields',
    requestHeaders,
    responseHeaders: [...responseHeaders, platformHeaders.scrollToken, platformHeaders.total],
    body: 'none',
    repeatable: 'only-if-not-done',
    warning: {
      ignoredQuery: '_size',
      togetherWith: '_token',
      text: '_size was not forwarded: only the first request of a scroll sets the page size.',
    },
    nextPage: { tokenHeader: platformHeaders.scrollToken, tokenQuery: '_token' },
    withoutResponse: 'Start a new scroll with a smaller _size, or request fewer fields with _fields.',
  },
]

/** Whether callers may keep a response, and ask with If-None-Match whether it is still current. */
export const isConditional = ({ requestHeaders }: Pick<Endpoint, 'requestHeaders'>): boolean =>
  requestHeaders.includes('if-none-match')

/** The parameter of a greedy route: the rest of the path. */
export const restOfPath = 'proxy'

/** The routes of API Gateway. It has none that end with a slash: a path with one needs a greedy route. */
export const proxyRoutes = (endpoints: readonly Endpoint[]) =>
  endpoints.flatMap((endpoint) => {
    const { method, path, scope, trailingSlash } = endpoint
    const folder = path.slice(0, path.lastIndexOf('/'))
    const paths = trailingSlash ? [path, `${folder}/{${restOfPath}+}`] : [path]
    return paths.map((path) => ({ method, path, scope, endpoint }))
  })

export type ProxyRoute = ReturnType<typeof proxyRoutes>[number]
