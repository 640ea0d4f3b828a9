import { type Area, areas } from '../../functions/platform/areas.ts'
import { endpoints } from '../../functions/platform/endpoints.ts'
import { platformHeaders } from '../../functions/platform/headers.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import { CredentialsError, UpstreamFailure } from '../../functions/upstream/errors.ts'
import { createExchange } from '../../functions/upstream/exchange.ts'

/** What the platform made of a harmless call with the keys of an area. */
export interface CredentialCheck {
  readonly area: Area
  /**
   * - `accepted`: it answered as to one whom it knows
   * - `rejected`: 401 or 403
   * - `unclear`: nothing, or what says nothing of the keys (429, 5xx, a redirect)
   * - `untried`: there is no call of this area that changes nothing
   */
  readonly outcome: 'accepted' | 'rejected' | 'unclear' | 'untried'
  readonly detail: string
}

interface HarmlessCall {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** How people call it. */
  readonly what: string
}

const timeLimitMs = 15_000

/** Tries the keys of each of these areas, one call each. Throws `CredentialsError` if there are none to try. */
export function checkCredentials(
  settings: Settings,
  asked: readonly Area[],
  credentials: CredentialsSource,
): Promise<CredentialCheck[]> {
  const upstream = createUpstream({ settings: settings.upstream, credentials })
  return Promise.all(
    asked.map(async (area): Promise<CredentialCheck> => {
      const call = harmlessCall(area, settings)
      if (!call) return { area, outcome: 'untried', detail: whyUntried[area] }
      try {
        const { target, headers, what } = call
        const { status } = await upstream.send({ area, method: 'GET', target, headers, totalMs: timeLimitMs })
        return { area, outcome: outcomeOf(status), detail: `${what} was answered with ${status}` }
      } catch (error) {
        if (error instanceof CredentialsError || !(error instanceof UpstreamFailure)) throw error
        return { area, outcome: 'unclear', detail: describeFailure(error) }
      }
    }),
  )
}

/** How the platform answers one who shows no keys: whatever the status, it can be reached. */
export async function reach({ upstream }: Settings): Promise<{ status: number } | { failure: string }> {
  const { target, headers } = readDock()
  try {
    const exchange = createExchange(upstream.baseUrl)
    const { status } = await exchange({ method: 'GET', target, headers, totalMs: timeLimitMs })
    return { status }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return { failure: describeFailure(error) }
  }
}

/**
 * 404 is how the platform answers for a dock that is not there; one that does not know the caller answers 401, in
 * some areas 403. A 404 to a search says that the entity, or the search path, is wrong; the keys were let through.
 */
export function outcomeOf(status: number): CredentialCheck['outcome'] {
  if (status === 401 || status === 403) return 'rejected'
  return (status >= 200 && status < 300) || status === 404 ? 'accepted' : 'unclear'
}

const whyUntried: Readonly<Record<Area, string>> = {
  logistics: 'there is no call to try them with',
  subscriptions: 'every call of this area changes something',
  documents: 'no entity is configured to search in',
}

function harmlessCall(area: Area, settings: Settings): HarmlessCall | undefined {
  if (area === 'logistics') return readDock()
  return area === 'documents' ? searchOne(settings) : undefined
}

const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }

function readDock(): HarmlessCall {
  const path = endpoints.find(({ name }) => name === 'read-dock')?.path ?? ''
  return { target: path.replace('{dockId}', 'longshore-trial'), headers, what: 'reading a dock' }
}

/** A search, since a scroll would take one of the few cursors that the platform gives. */
function searchOne({ entities, upstream }: Settings): HarmlessCall | undefined {
  const [entity] = entities
  if (!entity) return undefined
  const path = upstream.searchPath.replaceAll('{data_entity}', encodeURIComponent(entity.name))
  return {
    target: `${path}?_fields=${encodeURIComponent(entity.idField)}`,
    headers: { ...headers, [platformHeaders.range]: 'resources=0-1' },
    what: `searching ${entity.name}`,
  }
}

function describeFailure({ kind, cause }: UpstreamFailure): string {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  const words = {
    'not-sent': 'the credentials could not be read in time',
    unreachable: 'it could not be reached',
    timeout: 'it did not answer in time',
    interrupted: 'the connection broke',
    'too-large': 'the answer was too large',
  }
  return `${words[kind]}${code}`
}

/** The areas that are served by the same secret as this one. */
export function areasOfSecret(secretIds: Readonly<Record<Area, string>>, secretId: string): Area[] {
  return areas.filter((area) => secretIds[area] === secretId)
}
