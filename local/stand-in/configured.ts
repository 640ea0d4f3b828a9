import { createHash } from 'node:crypto'
import { type PlatformResponse, platformJson, refusalResponse } from './platform-response.ts'
import type { PlatformRequest } from './received-request.ts'

/** The platform sends these with another value, or not at all. */
const ownNames = ['content-type', 'content-encoding', 'retry-after', 'etag', 'last-modified']

/** A stored subscription or group at its path. At other paths, what was asked for, with a 1 in each header. */
export function respondToConfigured(
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
