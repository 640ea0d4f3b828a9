import type { Area } from '../platform/areas.ts'
import { describeError, log } from '../runtime/log.ts'
import type { UpstreamSettings } from '../runtime/settings.ts'
import type { Credentials, CredentialsSource } from './credential-cache.ts'
import { CredentialsError, UpstreamFailure } from './errors.ts'
import { createExchange, type ExchangeRequest, type UpstreamResponse } from './exchange.ts'
import { redact } from './redact.ts'
import { count, countCredentials, countExchange, newUsage, type UpstreamUsage } from './usage.ts'

export interface UpstreamRequest extends ExchangeRequest {
  /** Decides which credentials go along. */
  readonly area: Area
  /** Told what was met on the way. */
  readonly usage?: UpstreamUsage
}

export interface Upstream {
  /**
   * Sends one request with the area's credentials. It is repeated, once, only if the platform rejects these (401,
   * 403) and newer ones exist. Throws `UpstreamFailure` and `CredentialsError`.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>
}

/** For those who keep what the platform says. */
export interface RedactingUpstream extends Upstream {
  /** The text without any key that has been sent: a platform may say again what it rejects. */
  redact(text: string): string
}

const userAgent = 'Longshore/1'

export function createUpstream(options: {
  readonly settings: UpstreamSettings
  readonly credentials: CredentialsSource
}): RedactingUpstream {
  const { settings, credentials } = options
  const exchange = createExchange(settings.baseUrl)
  const sentKeys = new Set<string>()
  const sendWith = async (
    request: ExchangeRequest,
    { appKey, appToken }: Credentials,
    usage: UpstreamUsage,
  ) => {
    sentKeys.add(appToken).add(appKey)
    const startedAt = Date.now()
    const headers = {
      ...request.headers,
      'User-Agent': userAgent,
      [`${settings.headerPrefix}-API-AppKey`]: appKey,
      [`${settings.headerPrefix}-API-AppToken`]: appToken,
    }
    try {
      const answer = await exchange({ ...request, headers })
      countExchange(usage, startedAt, answer.status)
      return answer
    } catch (error) {
      countExchange(usage, startedAt)
      throw error
    }
  }
  const waitForKeys = async <T>(keys: Promise<T>, usage: UpstreamUsage): Promise<T> => {
    const startedAt = Date.now()
    try {
      return await keys
    } catch (error) {
      countCredentials(usage, error)
      throw error
    } finally {
      usage.secretMs += Date.now() - startedAt
    }
  }

  return {
    async send(request) {
      const { usage = newUsage() } = request
      const deadline = Date.now() + request.totalMs
      const current = await waitForKeys(credentials.get(request.area), usage)
      if (Date.now() >= deadline) {
        throw new UpstreamFailure('unreachable', {
          cause: new Error('The time was over before the keys were there.'),
        })
      }
      const answer = await sendWith({ ...request, totalMs: deadline - Date.now() }, current, usage)
      if (!rejects(answer)) return answer
      const renewal = waitForKeys(credentials.renew(request.area, current.version), usage)
      const newer = await renewal.catch((error: unknown) => {
        if (!(error instanceof CredentialsError) || error.kind === 'not-set') throw error
        // The rejection is what the caller has to know of; why there are no newer keys, whoever runs this.
        log('WARN', 'Newer credentials could not be read.', {
          area: request.area,
          error: describeError(error),
        })
        return undefined
      })
      const leftMs = deadline - Date.now()
      const last =
        newer && leftMs > 0 ? await sendWith({ ...request, totalMs: leftMs }, newer, usage) : answer
      if (rejects(last)) count(usage, 'CredentialsRejected')
      return last
    },

    redact: (text) => redact(text, sentKeys),
  }
}

function rejects({ status }: UpstreamResponse): boolean {
  return status === 401 || status === 403
}

/** The same client, which records every request in `usage`. */
export function withUsage<U extends Upstream>(upstream: U, usage: UpstreamUsage): U {
  return { ...upstream, send: (request) => upstream.send({ ...request, usage }) }
}
