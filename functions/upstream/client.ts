import type { Area } from '../platform/areas.ts'
import { credentialHeaders } from '../platform/headers.ts'
import { describeError, log } from '../runtime/log.ts'
import type { UpstreamSettings } from '../runtime/settings.ts'
import type { CredentialsSource } from './credential-cache.ts'
import type { ExchangeRequest, UpstreamResponse } from './exchange.ts'
import { CredentialsError, createExchange, UpstreamFailure } from './exchange.ts'
import { classOf } from './intermediary.ts'
import { redact } from './redact.ts'
import type { Credentials } from './secret-value.ts'
import { countCredentials, countExchange, newUsage, type UpstreamUsage } from './usage.ts'

export interface UpstreamRequest extends ExchangeRequest {
  /** Selects the credentials. */
  readonly area: Area
  /** Counts what the request takes. */
  readonly usage?: UpstreamUsage
  /** Called right before the request is sent, and again before it is repeated. A rejection is thrown instead. */
  readonly beforeSend?: () => Promise<void>
  /** Called with a rejection after which the request is repeated with newer credentials. */
  readonly onRejected?: (response: UpstreamResponse) => void
}

export interface Upstream {
  /**
   * Sends one request with the area's credentials. If the platform rejects them (401, 403) and newer ones exist, the
   * request is repeated once. Throws `UpstreamFailure` and `CredentialsError`.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>
}

export interface RedactingUpstream extends Upstream {
  /** The text without any app key or app token that has been sent. */
  redact(text: string): string
}

const userAgent = 'Longshore/1'

/** A request with less time left is not sent: its response would arrive too late. */
export const minRequestMs = 250

export function createUpstream(options: {
  readonly settings: UpstreamSettings
  readonly credentials: CredentialsSource
}): RedactingUpstream {
  const { settings, credentials } = options
  const exchange = createExchange(settings.baseUrl)
  const sentSecrets = new Set<string>()
  const sendWith = async (
    { beforeSend, onRejected: _onRejected, ...request }: Omit<UpstreamRequest, 'area' | 'usage'>,
    { appKey, appToken }: Credentials,
    usage: UpstreamUsage,
  ) => {
    await beforeSend?.()
    sentSecrets.add(appToken).add(appKey)
    const startedAt = Date.now()
    const headers = {
      ...request.headers,
      // Credentials in custom headers do not keep a cache from storing a response (RFC 9111 section 5.2.1.5).
      'Cache-Control': 'no-store',
      'User-Agent': userAgent,
      ...credentialHeaders({ appKey, appToken }, settings.headerPrefix),
    }
    try {
      const response = await exchange({ ...request, headers })
      countExchange(usage, startedAt, response.status)
      return response
    } catch (error) {
      countExchange(usage, startedAt)
      throw error
    }
  }

  return {
    async send(request) {
      const { usage = newUsage() } = request
      const deadline = Date.now() + request.totalMs
      const current = await timed(credentials.get(request.area), usage)
      const totalMs = deadline - Date.now()
      if (totalMs < minRequestMs) throw new UpstreamFailure('not-sent')
      const response = await sendWith({ ...request, totalMs }, current, usage)
      if (!isRejected(response)) return response
      const newer = await newerCredentials(credentials, { request, rejected: current, usage })
      const leftMs = deadline - Date.now()
      const isRepeated = newer !== undefined && leftMs >= minRequestMs
      if (isRepeated) request.onRejected?.(response)
      const last = isRepeated ? await sendWith({ ...request, totalMs: leftMs }, newer, usage) : response
      if (classOf(last) === 'rejected') usage.credentialsRejected++
      return last
    },

    redact: (text) => redact(text, sentSecrets),
  }
}

async function newerCredentials(
  credentials: CredentialsSource,
  { request, rejected, usage }: { request: UpstreamRequest; rejected: Credentials; usage: UpstreamUsage },
): Promise<Credentials | undefined> {
  const { area } = request
  try {
    return await timed(credentials.renew(area, rejected.version), usage)
  } catch (error) {
    if (!(error instanceof CredentialsError) || error.kind === 'not-set') throw error
    // The caller receives the rejection. The reason why there are no newer credentials is for the operator.
    log('WARN', 'newer credentials cannot be read', { area, error: describeError(error) })
    return undefined
  }
}

async function timed<T>(read: Promise<T>, usage: UpstreamUsage): Promise<T> {
  const startedAt = Date.now()
  try {
    return await read
  } catch (error) {
    countCredentials(usage, error)
    throw error
  } finally {
    usage.secretMs += Date.now() - startedAt
  }
}

/** Also by a firewall or a limit: who sent the response and why may not be recognizable. */
const isRejected = ({ status }: UpstreamResponse): boolean => status === 401 || status === 403

/** The same client, which records every request in `usage`. */
export function withUsage<U extends Upstream>(upstream: U, usage: UpstreamUsage): U {
  return { ...upstream, send: (request) => upstream.send({ ...request, usage }) }
}
