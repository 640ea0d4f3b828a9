import type { Area, UpstreamSettings } from '../environment.ts'
import { describeError, log } from '../log.ts'
import { conceal } from './conceal.ts'
import type { Credentials, CredentialsSource } from './credential-cache.ts'
import { createExchange, type ExchangeRequest, type UpstreamAnswer } from './exchange.ts'
import { CredentialsError, UpstreamFailure } from './failures.ts'
import { count, countCredentials, countExchange, newTally, type UpstreamTally } from './tally.ts'

export interface UpstreamRequest extends ExchangeRequest {
  /** Decides which credentials go along. */
  readonly area: Area
  /** Told what was met on the way. */
  readonly tally?: UpstreamTally
}

export interface Upstream {
  /**
   * Sends one request with the area's credentials. It is repeated, once, only if the platform rejects these (401,
   * 403) and newer ones exist. Throws `UpstreamFailure` and `CredentialsError`.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
}

/** For those who keep what the platform says. */
export interface DiscreetUpstream extends Upstream {
  /** The text without any key that has been sent: a platform may say again what it rejects. */
  conceal(text: string): string
}

const userAgent = 'Longshore/1'

export function createUpstream(options: {
  readonly settings: UpstreamSettings
  readonly credentials: CredentialsSource
}): DiscreetUpstream {
  const { settings, credentials } = options
  const exchange = createExchange(settings.baseUrl)
  const sentKeys = new Set<string>()
  const sendWith = async (
    request: ExchangeRequest,
    { appKey, appToken }: Credentials,
    tally: UpstreamTally,
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
      countExchange(tally, startedAt, answer.status)
      return answer
    } catch (error) {
      countExchange(tally, startedAt)
      throw error
    }
  }
  const waitForKeys = async <T>(keys: Promise<T>, tally: UpstreamTally): Promise<T> => {
    const startedAt = Date.now()
    try {
      return await keys
    } catch (error) {
      countCredentials(tally, error)
      throw error
    } finally {
      tally.secretMs += Date.now() - startedAt
    }
  }

  return {
    async send(request) {
      const { tally = newTally() } = request
      const deadline = Date.now() + request.totalMs
      const current = await waitForKeys(credentials.get(request.area), tally)
      if (Date.now() >= deadline) {
        throw new UpstreamFailure('unreachable', {
          cause: new Error('The time was over before the keys were there.'),
        })
      }
      const answer = await sendWith({ ...request, totalMs: deadline - Date.now() }, current, tally)
      if (!rejects(answer)) return answer
      const renewal = waitForKeys(credentials.renew(request.area, current.version), tally)
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
        newer && leftMs > 0 ? await sendWith({ ...request, totalMs: leftMs }, newer, tally) : answer
      if (rejects(last)) count(tally, 'CredentialsRejected')
      return last
    },

    conceal: (text) => conceal(text, sentKeys),
  }
}

function rejects({ status }: UpstreamAnswer): boolean {
  return status === 401 || status === 403
}
