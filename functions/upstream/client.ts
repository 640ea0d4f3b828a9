import type { Area, UpstreamSettings } from '../environment.ts'
import { describeError, log } from '../log.ts'
import type { Credentials, CredentialsSource } from './credential-cache.ts'
import { createExchange, type ExchangeRequest, type UpstreamAnswer } from './exchange.ts'
import { CredentialsError, UpstreamFailure } from './failures.ts'

export interface UpstreamRequest extends ExchangeRequest {
  /** Decides which credentials go along. */
  readonly area: Area
}

export interface Upstream {
  /**
   * Sends one request with the area's credentials. It is repeated, once, only if the platform rejects these (401,
   * 403) and newer ones exist. Throws `UpstreamFailure` and `CredentialsError`.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
}

const userAgent = 'Longshore/1'

export function createUpstream(options: {
  readonly settings: UpstreamSettings
  readonly credentials: CredentialsSource
}): Upstream {
  const { settings, credentials } = options
  const exchange = createExchange(settings.baseUrl)
  const sendWith = (request: UpstreamRequest, { appKey, appToken }: Credentials) =>
    exchange({
      ...request,
      headers: {
        ...request.headers,
        'User-Agent': userAgent,
        [`${settings.headerPrefix}-API-AppKey`]: appKey,
        [`${settings.headerPrefix}-API-AppToken`]: appToken,
      },
    })

  return {
    async send(request) {
      const deadline = Date.now() + request.totalMs
      const current = await credentials.get(request.area)
      if (Date.now() >= deadline) {
        throw new UpstreamFailure('unreachable', {
          cause: new Error('The time was over before the keys were there.'),
        })
      }
      const answer = await sendWith({ ...request, totalMs: deadline - Date.now() }, current)
      if (answer.status !== 401 && answer.status !== 403) return answer
      const newer = await credentials.renew(request.area, current.version).catch((error: unknown) => {
        if (!(error instanceof CredentialsError) || error.kind === 'not-set') throw error
        // The rejection is what the caller has to know of; why there are no newer keys, whoever runs this.
        log('WARN', 'Newer credentials could not be read.', {
          area: request.area,
          error: describeError(error),
        })
        return undefined
      })
      const leftMs = deadline - Date.now()
      return newer && leftMs > 0 ? sendWith({ ...request, totalMs: leftMs }, newer) : answer
    },
  }
}
