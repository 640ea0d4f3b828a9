import type { Area } from '../../functions/platform/areas.ts'
import { endpoints } from '../../functions/platform/endpoints.ts'
import { platformHeaders } from '../../functions/platform/headers.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import { createExchange, UpstreamFailure } from '../../functions/upstream/exchange.ts'
import { classOf, describeClass, intermediaryOf } from '../../functions/upstream/intermediary.ts'

/** The platform's response to a call without side effects, with an area's credentials. */
export interface CredentialCheck {
  readonly area: Area
  /**
   * - `accepted`: the platform processed the call
   * - `rejected`: 401 or 403
   * - `inconclusive`: no response, or one that does not depend on the credentials (a limit, 5xx, a redirect, a firewall or cache)
   * - `not-checked`: the area has no call without side effects
   */
  readonly outcome: 'accepted' | 'rejected' | 'inconclusive' | 'not-checked'
  readonly detail: string
}

interface HarmlessCall {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** For messages. */
  readonly name: string
  /** What another status shows. Only a person knows what a configured endpoint returns. */
  readonly otherwise: 'inconclusive' | 'not-checked'
}

const timeLimitMs = 15_000

/** Checks the credentials of each area with one call. Throws `CredentialsError` if they cannot be read. */
export function checkCredentials(
  settings: Settings,
  areasToCheck: readonly Area[],
  credentials: CredentialsSource,
): Promise<CredentialCheck[]> {
  const upstream = createUpstream({ settings: settings.upstream, credentials })
  return Promise.all(
    areasToCheck.map(async (area): Promise<CredentialCheck> => {
      const call = harmlessCall(area, settings)
      if (!call) return { area, outcome: 'not-checked', detail: notCheckedReason(area) }
      try {
        const { target, headers, name } = call
        const response = await upstream.send({ area, method: 'GET', target, headers, totalMs: timeLimitMs })
        const { status } = response
        const by = classOf(response)
        if (by === undefined || by === 'rejected')
          return {
            area,
            outcome: by ?? (isAccepted(status) ? 'accepted' : call.otherwise),
            detail: `${name} returned ${status}`,
          }
        const detail = describeClass(response, by, (text) => upstream.redact(text))
        return { area, outcome: 'inconclusive', detail }
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error
        return { area, outcome: 'inconclusive', detail: error.reason }
      }
    }),
  )
}

/** Calls the platform without credentials. Any status that it sends itself shows that it is reachable. */
export async function reachPlatform(settings: Settings): Promise<{ status: number } | { failure: string }> {
  const { target, headers } = readDock()
  try {
    const exchange = createExchange(settings.upstream.baseUrl)
    const response = await exchange({ method: 'GET', target, headers, totalMs: timeLimitMs })
    const by = intermediaryOf(response)
    // Nothing secret was sent.
    if (by !== undefined) return { failure: describeClass(response, by, (text) => text) }
    return { status: response.status }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return { failure: error.reason }
  }
}

/**
 * The platform returns 404 for a dock that does not exist, and 401 or 403 to an unknown caller. A 404 to a search means
 * that the entity or the search path is wrong; the credentials were accepted.
 */
const isAccepted = (status: number) => (status >= 200 && status < 300) || status === 404

const notCheckedReason = (area: Area) =>
  area === 'documents' ? 'no entity is configured' : 'every call of this area changes data'

function harmlessCall(area: Area, settings: Settings): HarmlessCall | undefined {
  if (area === 'logistics') return readDock()
  const search = area === 'documents' ? searchOne(settings) : undefined
  const path = settings.endpoints.find((endpoint) => endpoint.area === area)?.path
  if (search || path === undefined) return search
  return { ...readMissing(path), name: `GET ${path}`, otherwise: 'not-checked' }
}

const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }

const readMissing = (path: string) => ({ target: path.replaceAll(/\{[^}]+\}/g, 'longshore-check'), headers })

function readDock(): HarmlessCall {
  const path = endpoints.find(({ name }) => name === 'read-dock')?.path ?? ''
  return { ...readMissing(path), name: 'reading a dock', otherwise: 'inconclusive' }
}

/** A search, because a scroll would use one of the few cursors that the platform allows. */
function searchOne({ entities, upstream }: Settings): HarmlessCall | undefined {
  const [entity] = entities
  if (!entity) return undefined
  const path = upstream.searchPath.replaceAll('{data_entity}', encodeURIComponent(entity.name))
  return {
    target: `${path}?_fields=${encodeURIComponent(entity.idField)}`,
    headers: { ...headers, [platformHeaders.range]: 'resources=0-1' },
    name: `searching ${entity.name}`,
    otherwise: 'inconclusive',
  }
}

export interface ServedAreas {
  readonly areas: readonly Area[]
  /** Whether no area has another secret. */
  readonly isAll: boolean
}

export function areasOfSecret(secretIds: Readonly<Record<Area, string>>, secretId: string): ServedAreas {
  const all = Object.keys(secretIds)
  const areas = all.filter((area) => secretIds[area] === secretId)
  return { areas, isAll: areas.length === all.length }
}
