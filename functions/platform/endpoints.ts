import type { Area } from './areas.ts'

/**
 * The platform's endpoints that callers reach through us. Routes, dispatch, validation, descriptions and
 * tests are made from this table: adding an endpoint is adding one entry. Sections are those of the
 * platform's interface description.
 */
export interface Endpoint {
  readonly name: string
  readonly method: 'GET' | 'PATCH'
  /** The route's template, and the upstream's path too unless `upstreamPath` names a setting. */
  readonly path: string
  readonly upstreamPath?: 'searchPath'
  readonly pathParameter: string
  readonly area: Area
  /** What a caller's token must grant when the API is set up for JWT. */
  readonly scope: ProxyScope
  /** Query parameters that go up. */
  readonly query: readonly string[]
  /** Whether any document field's name may stand as a filter too. Names with a leading `_` are the platform's. */
  readonly fieldFilters: boolean
  /** Names in lower case of the caller's request headers that go up. */
  readonly requestHeaders: readonly string[]
  /** Upstream headers that come down; `{prefix}` stands for the configured header prefix. */
  readonly responseHeaders: readonly string[]
  /** What the body must be: none at all, or an object whose `item`, if there, has this form. */
  readonly body: 'none' | 'object-with-item-array' | 'object-with-item-object'
  /** A call that is not safe is sent again only if the first one certainly did nothing. */
  readonly repeatable: 'safe' | 'only-if-not-done'
  /** A header of ours that is added when the caller left out a query parameter. */
  readonly warning?: { readonly withoutQuery: string; readonly header: string; readonly text: string }
  /** Where the next page's token comes down, and as what it goes up. */
  readonly nextPage?: { readonly tokenHeader: string; readonly tokenQuery: string }
  /** What a caller can do when the answer is larger than a function can return. */
  readonly whenTooLarge: string
}

export type ProxyScope = 'docks:read' | 'subscriptions:write' | 'documents:read'

/**
 * Accept-Encoding goes up and Content-Encoding comes down, so a compressed body stays as the platform made it. A
 * caller's traceparent goes up with a span of ours, so that one trace shows both sides.
 */
const requestHeaders = ['accept', 'accept-encoding', 'traceparent']
const responseHeaders = ['content-type', 'content-encoding', 'retry-after']

const documentQuery = ['_fields', '_where', '_sort', '_keyword', '_schema']

export const endpoints: readonly Endpoint[] = [
  // 4.1
  {
    name: 'read-dock',
    method: 'GET',
    path: '/api/logistics/pvt/configuration/docks/{dockId}',
    pathParameter: 'dockId',
    area: 'logistics',
    scope: 'docks:read',
    query: [],
    fieldFilters: false,
    requestHeaders,
    responseHeaders,
    body: 'none',
    repeatable: 'safe',
    whenTooLarge: 'Nothing in the request makes it smaller: shorten the dock at the platform.',
  },
  // 4.2
  {
    name: 'update-subscription-group',
    method: 'PATCH',
    path: '/api/rns/subscriptions-group/{groupId}',
    pathParameter: 'groupId',
    area: 'subscriptions',
    scope: 'subscriptions:write',
    query: ['an'],
    fieldFilters: false,
    requestHeaders: [...requestHeaders, 'content-type'],
    responseHeaders,
    body: 'object-with-item-array',
    repeatable: 'only-if-not-done',
    whenTooLarge: 'The platform has answered the update, so read the group there before you send it again.',
  },
  // 4.3
  {
    name: 'update-subscription',
    method: 'PATCH',
    path: '/api/rns/subscriptions/{subscriptionId}',
    pathParameter: 'subscriptionId',
    area: 'subscriptions',
    scope: 'subscriptions:write',
    query: [],
    fieldFilters: false,
    requestHeaders: [...requestHeaders, 'content-type'],
    responseHeaders,
    body: 'object-with-item-object',
    repeatable: 'only-if-not-done',
    whenTooLarge:
      'The platform has answered the update, so read the subscription there before you send it again.',
  },
  // 4.4
  {
    name: 'search-documents',
    method: 'GET',
    path: '/api/dataentities/{data_entity}/search',
    upstreamPath: 'searchPath',
    pathParameter: 'data_entity',
    area: 'documents',
    scope: 'documents:read',
    query: documentQuery,
    fieldFilters: true,
    requestHeaders: [...requestHeaders, 'rest-range'],
    responseHeaders: [...responseHeaders, 'rest-content-range'],
    body: 'none',
    repeatable: 'safe',
    warning: {
      withoutQuery: '_sort',
      // Not `Warning`, which RFC 9111 section 5.5 made obsolete.
      header: 'longshore-warning',
      text: 'Without _sort the order is not guaranteed, so pages may repeat documents or leave some out.',
    },
    whenTooLarge: 'Ask for fewer documents with a narrower REST-Range, or for fewer fields with _fields.',
  },
  // 4.5. Not safe although it is a GET: the token moves a cursor on the platform's side.
  {
    name: 'scroll-documents',
    method: 'GET',
    path: '/api/dataentities/{data_entity}/scroll',
    pathParameter: 'data_entity',
    area: 'documents',
    scope: 'documents:read',
    query: [...documentQuery, '_size', '_token'],
    fieldFilters: true,
    requestHeaders,
    responseHeaders: [...responseHeaders, '{prefix}-md-token', 'rest-content-total'],
    body: 'none',
    repeatable: 'only-if-not-done',
    nextPage: { tokenHeader: '{prefix}-md-token', tokenQuery: '_token' },
    whenTooLarge: 'Start the scroll anew with a smaller _size, or ask for fewer fields with _fields.',
  },
]

/** A header's name under the configured prefix, in lower case. */
export function headerName(name: string, headerPrefix: string): string {
  return name.replace('{prefix}', () => headerPrefix).toLowerCase()
}
