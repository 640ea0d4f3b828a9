import type { Area } from './areas.ts'
import { type Endpoint, endpoints, onPlatform, requestHeaders, responseHeaders } from './endpoints.ts'

/** A further endpoint of the platform that callers may read, as the configuration has it. */
export interface ConfiguredEndpoint {
  readonly path: string
  readonly area: Area
  readonly query: readonly string[] | 'any'
  /** In lower case. */
  readonly responseHeaders: readonly string[]
  readonly scope: string
}

/** The built-in endpoints, then those of the configuration. */
export function endpointsWith(configured: readonly ConfiguredEndpoint[]): readonly Endpoint[] {
  const rows = configured.map(rowOf)
  const ids = rows.map(({ name }) => name.replaceAll('-', '').toLowerCase())
  return [
    ...endpoints.map((endpoint) => withReadRoute(endpoint, rows)),
    ...rows.map((row, index) =>
      ids.indexOf(ids[index] ?? '') < index ? { ...row, name: `${row.name}_${index}` } : row,
    ),
  ]
}

function withReadRoute(endpoint: Endpoint, rows: readonly Endpoint[]): Endpoint {
  const { path, withoutResponse } = endpoint
  if (!rows.some((row) => row.path === path)) return endpoint
  return { ...endpoint, withoutResponse: withoutResponse.replace(onPlatform, `with GET ${path}`) }
}

function rowOf({ path: written, query, responseHeaders: own, ...rest }: ConfiguredEndpoint): Endpoint {
  // OpenAPI does not allow two names of one parameter.
  const path = endpoints.find((endpoint) => shapeOf(endpoint.path) === shapeOf(written))?.path ?? written
  return {
    ...rest,
    name: `get${path.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')}`,
    method: 'GET',
    path,
    query: query === 'any' ? [] : query,
    otherQuery: query === 'any' ? 'any' : 'none',
    requestHeaders: [...requestHeaders, 'if-none-match'],
    responseHeaders: [...new Set([...responseHeaders, 'etag', 'last-modified', ...own])],
    body: 'none',
    repeatable: 'safe',
    withoutResponse:
      query.length === 0
        ? `Read it ${onPlatform}.`
        : `Request less with the parameters of this endpoint, or read it ${onPlatform}.`,
  }
}

const shapeOf = (path: string) => path.replaceAll(/\{[^}]+\}/g, '{}')
