import type { IncomingHttpHeaders } from 'node:http'
import type { Area } from '../../functions/platform/areas.ts'
import type { ScrollPlace } from './scrolls/scroll-place.ts'

export type ReceivedKind = 'dock' | 'group' | 'subscription' | 'search' | 'scroll' | 'unknown'

/** What the platform reads of a request. */
export interface PlatformRequest {
  readonly kind: ReceivedKind
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

interface ReceivedRoute {
  readonly kind: ReceivedKind
  readonly area: Area
  readonly method: string
  readonly path: RegExp
}

/** Interface sections 4.1 to 4.5; the search path, which they do not show, as it is in the field. */
const routes: readonly ReceivedRoute[] = [
  {
    kind: 'dock',
    area: 'logistics',
    method: 'GET',
    path: /^\/api\/logistics\/pvt\/configuration\/docks\/([^/]+)$/,
  },
  {
    kind: 'group',
    area: 'subscriptions',
    method: 'PATCH',
    path: /^\/api\/rns\/subscriptions-group\/([^/]+)$/,
  },
  {
    kind: 'subscription',
    area: 'subscriptions',
    method: 'PATCH',
    path: /^\/api\/rns\/subscriptions\/([^/]+)$/,
  },
  { kind: 'search', area: 'documents', method: 'GET', path: /^\/api\/dataentities\/([^/]+)\/search$/ },
  { kind: 'scroll', area: 'documents', method: 'GET', path: /^\/api\/dataentities\/([^/]+)\/scroll$/ },
]

export function readReceived(message: {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}): PlatformRequest {
  const [path = '', ...query] = message.url.split('?')
  const route = routes.find((one) => one.method === message.method && one.path.test(path))
  return {
    kind: route?.kind ?? 'unknown',
    area: route?.area,
    name: decode(route?.path.exec(path)?.[1] ?? ''),
    query: new URLSearchParams(query.join('?')),
    headers: message.headers,
    body: message.body,
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
