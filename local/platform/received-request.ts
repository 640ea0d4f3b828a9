import type { IncomingMessage } from 'node:http'
import type { Area } from '../../functions/platform/areas.ts'

export type RequestKind = 'dock' | 'group' | 'subscription' | 'search' | 'scroll' | 'unknown'

/** One request as it came in, and what became of it. `platform.requests` holds them in order of arrival. */
export interface ReceivedRequest {
  readonly kind: RequestKind
  readonly area: Area | undefined
  /** The dock, group, subscription or data entity of the path, decoded. */
  readonly name: string
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly url: string
  readonly query: URLSearchParams
  /** Names and values in turn, exactly as sent. */
  readonly rawHeaders: readonly string[]
  /** Lower-case names, as Node gives them. */
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly receivedAtMs: number
  /** For a scroll request whose scroll is known: where in it this request stands. */
  scroll?: ScrollPlace
  /** The status that was answered; missing while open, and when no status line was sent (reset, hang). */
  status?: number
  /** The kind of the fault that this request met. */
  fault?: string
}

/** All counted from 1. */
export interface ScrollPlace {
  /** Which scroll of this entity: every request without `_token` begins one. */
  readonly scroll: number
  /** Which request of this scroll, failed ones included. */
  readonly request: number
  /** The page that the request asks for: where the cursor stands, or what a positional token names. */
  readonly page: number
}

interface Route {
  readonly kind: RequestKind
  readonly area: Area
  readonly method: string
  readonly path: RegExp
}

/** Interface sections 4.1 to 4.5; the search path, which they do not show, as it is in practice. */
const routes: readonly Route[] = [
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

/** Reads the whole body, then says what was asked for. */
export async function receive(message: IncomingMessage): Promise<ReceivedRequest> {
  const receivedAtMs = Date.now()
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const { method = '', url = '' } = message
  const [path = '', ...query] = url.split('?')
  const route = routes.find((candidate) => candidate.method === method && candidate.path.test(path))
  return {
    kind: route?.kind ?? 'unknown',
    area: route?.area,
    name: decode(route?.path.exec(path)?.[1] ?? ''),
    method,
    url,
    query: new URLSearchParams(query.join('?')),
    rawHeaders: message.rawHeaders,
    headers: message.headers,
    body: Buffer.concat(chunks),
    receivedAtMs,
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
