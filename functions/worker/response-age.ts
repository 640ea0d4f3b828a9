import { oneDocument, searchRequest, searchUrl } from '../../stored/partitions/search.ts'
import { readDate } from '../platform/response-headers.ts'
import type { Settings } from '../runtime/settings.ts'
import type { Upstream, UpstreamRequest } from '../upstream/client.ts'
import { CredentialsError, UpstreamFailure, type UpstreamResponse } from '../upstream/exchange.ts'
import { maxResponseAgeSeconds } from '../upstream/intermediary.ts'

const maxAgeMs = maxResponseAgeSeconds * 1000
const probeMs = 10_000

/**
 * The same client, whose responses have an `Age` also if a cache does not send one: by how much their `Date` precedes
 * their request (RFC 9111 section 4.2.3). A clock that is wrong is no age. So before a response counts as old, the
 * platform's clock is read from a search that no cache can have stored.
 */
export function withAge<U extends Upstream>(
  upstream: U,
  { upstream: { searchPath }, entities }: Pick<Settings, 'upstream' | 'entities'>,
  now: () => number,
): U {
  /** How late the platform's clock is. */
  let clock = { lateMs: 0, readAt: Number.NEGATIVE_INFINITY }

  async function readClock({ beforeSend }: UpstreamRequest): Promise<number | undefined> {
    const [entity] = entities
    if (!entity) return undefined
    const startedAt = now()
    const { name, idField } = entity
    const target = { searchPath, entity: name, query: { [idField]: `longshore-${startedAt}` } }
    const request = searchRequest(searchUrl(target, undefined, { _fields: idField }), oneDocument, probeMs)
    try {
      return lateMsOf(await upstream.send({ ...request, ...(beforeSend && { beforeSend }) }), startedAt)
    } catch (error) {
      if (error instanceof UpstreamFailure || error instanceof CredentialsError) return undefined
      throw error
    }
  }

  return {
    ...upstream,
    async send(request) {
      const startedAt = now()
      const response = await upstream.send(request)
      const lateMs = response.headers.age === undefined ? lateMsOf(response, startedAt) : undefined
      if (lateMs === undefined) return response
      if (lateMs - clock.lateMs > maxAgeMs && now() - clock.readAt > maxAgeMs)
        // Without another response, a wrong clock is the likelier reason.
        clock = { lateMs: (await readClock(request)) ?? lateMs, readAt: now() }
      clock.lateMs = Math.min(clock.lateMs, lateMs)
      const ageMs = lateMs - clock.lateMs
      if (ageMs <= maxAgeMs) return response
      return { ...response, headers: { ...response.headers, age: String(Math.round(ageMs / 1000)) } }
    },
  }
}

/** By how much the `Date` of a response precedes its request; undefined without one. */
function lateMsOf({ headers }: UpstreamResponse, startedAt: number): number | undefined {
  const date = readDate(headers)
  return date === undefined ? undefined : startedAt - date
}
