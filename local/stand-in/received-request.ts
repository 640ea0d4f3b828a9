import type { IncomingHttpHeaders } from 'node:http'
import { decodedPart, parameterNames, pathPattern } from '../../functions/http/path-template.ts'
import type { Area } from '../../functions/platform/areas.ts'
import { type ConfiguredEndpoint, endpointsWith } from '../../functions/platform/configured-endpoints.ts'
import type { Endpoint } from '../../functions/platform/endpoints.ts'
import type { ScrollPlace } from './scrolls/scroll-place.ts'

export type ReceivedKind = 'dock' | 'group' | 'subscription' | 'search' | 'scroll' | 'configured' | 'unknown'

export interface PlatformRequest {
  readonly kind: ReceivedKind
  readonly endpoint: Endpoint | undefined
  readonly area: Area | undefined
  /** The dock, group, subscription or data entity in the path, decoded. */
  readonly name: string
  readonly query: URLSearchParams
  /** Lower-case names, as Node gives them. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One request as it was received, and the response. `platform.requests` lists them in order of arrival. */
export interface ReceivedRequest extends PlatformRequest {
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly url: string
  /** Alternating names and values, exactly as sent. */
  readonly rawHeaders: readonly string[]
  readonly receivedAtMs: number
  /** For a scroll request whose scroll is known. */
  scroll?: ScrollPlace
  /** Absent while the request is open, and when no status line was sent (reset, hang). */
  status?: number
  /** The kind of the fault that struck this request. */
  fault?: string
}

const kinds: Readonly<Record<string, ReceivedKind>> = {
  'read-dock': 'dock',
  'update-subscription-group': 'group',
  'update-subscription': 'subscription',
  'search-documents': 'search',
  'scroll-documents': 'scroll',
}

/** The paths of the interface (sections 4.1 to 4.5), and those of the configuration. A literal segment takes precedence. */
export const receivedRoutes = (configured: readonly ConfiguredEndpoint[]) =>
  endpointsWith(configured)
    .toSorted((a, b) => parameterNames(a.path).length - parameterNames(b.path).length)
    .map((endpoint) => ({
      kind: kinds[endpoint.name] ?? 'configured',
      endpoint,
      pattern: pathPattern(endpoint.path),
    }))

const ofInterface = receivedRoutes([])

export function readReceived(
  message: Pick<ReceivedRequest, 'method' | 'url' | 'headers' | 'body'>,
  routes = ofInterface,
): PlatformRequest {
  const { method, url, headers, body } = message
  const [path = '', ...query] = url.split('?')
  const route = routes.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
  const segment = route?.pattern.exec(path)?.[1] ?? ''
  return {
    kind: route?.kind ?? 'unknown',
    endpoint: route?.endpoint,
    area: route?.endpoint.area,
    name: decodedPart(segment) ?? segment,
    query: new URLSearchParams(query.join('?')),
    headers,
    body,
  }
}
