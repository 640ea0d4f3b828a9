import { setTimeout as sleep } from 'node:timers/promises'
import { searchRequest } from '../../functions/partitions/search.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import { decodeResponse } from '../../functions/upstream/decode-response.ts'
import { UpstreamFailure } from '../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import { classOf } from '../../functions/upstream/intermediary.ts'
import {
  isListed,
  type RetryPolicy,
  sendWithRetries,
  type UpstreamOutcome,
} from '../../functions/upstream/retry.ts'
import { CommandError, Interrupted } from '../errors.ts'
import { askPlatform, askTokenLife, askWrongKey, type Probe } from './ask-platform.ts'
import { type Received, transportFacts } from './conclusions.ts'
import { type Asking, type Question, readAnswer } from './question.ts'
import { type Facts, nothingTried } from './report.ts'

export const probeLimits = { requests: 60, minutes: 2 } as const
/** Waits for a token's end are in addition to the two minutes. */
export const tokenLifeMinutes = 21

export interface ProbeOptions {
  readonly tokenLife: boolean
  readonly wrongKey: boolean
}

export interface ProbeIo {
  /** Throws `UpstreamFailure`. */
  send(question: Question): Promise<UpstreamResponse>
  sleep(ms: number): Promise<unknown>
  now(): number
  random(): number
  /** Called before each request. */
  onRequest(requests: number): void
}

const maxBytes = 256 * 1024 * 1024

/** Sends questions with the platform's client. */
export function probeSender({
  settings,
  credentials,
  signal,
}: {
  readonly settings: Settings
  readonly credentials: CredentialsSource
  readonly signal: AbortSignal
}): Pick<ProbeIo, 'send' | 'sleep'> {
  const wrong: CredentialsSource = {
    get: async (area) => ({ ...(await credentials.get(area)), appToken: 'longshore-probe' }),
    renew: async () => undefined,
  }
  const upstream = createUpstream({ settings: settings.upstream, credentials })
  const wrongUpstream = createUpstream({ settings: settings.upstream, credentials: wrong })
  const interrupt = () => {
    throw new Interrupted('Interrupted. Nothing was changed.')
  }
  return {
    async send({ target, headers, credentials: choice }) {
      if (signal.aborted) interrupt()
      const client = choice === 'wrong' ? wrongUpstream : upstream
      return client.send({ ...searchRequest(target, headers, 30_000), maxBytes })
    },
    sleep: (ms) => sleep(ms, undefined, { signal }).catch(interrupt),
  }
}

const temporary = ['425', '429', '5xx', 'rate-limit', 'firewall', 'unreachable']
const policy: RetryPolicy = {
  kind: 'outage',
  maxTries: 3,
  maxMs: 20_000,
  wait: { baseMs: 500, capMs: 5_000 },
  whenTooLong: 'give-up',
}

/**
 * Asks a platform within the limits, and returns what is known then. Throws `CommandError` if it rejects the credentials,
 * and `UpstreamFailure` if it cannot be reached.
 */
export async function runProbe(
  entity: Omit<Probe, 'facts'>,
  options: ProbeOptions,
  io: ProbeIo,
): Promise<{ readonly facts: Facts; readonly requests: number }> {
  const facts = nothingTried()
  const received: Received[] = []
  const spent = { requests: 0, until: io.now() + probeLimits.minutes * minuteMs }
  const reserved = (options.tokenLife ? 8 : 0) + (options.wrongKey ? 1 : 0)

  async function ask(question: Question, maxRequests: number): Promise<UpstreamOutcome | undefined> {
    const { waitMs = 0 } = question
    if (waitMs > 0) await io.sleep(waitMs)
    spent.until += waitMs
    const isSpent = () => spent.requests >= maxRequests || io.now() >= spent.until
    if (isSpent()) return undefined
    const clock = { now: io.now, random: io.random, sleep: io.sleep, deadline: spent.until }
    const isTemporary = (outcome: UpstreamOutcome) => isListed(temporary, outcome) && !isSpent()
    const send = async () => {
      io.onRequest(++spent.requests)
      const response = await io.send(question)
      received.push({ ...response, at: io.now() })
      return decodeResponse(response, maxBytes)
    }
    return sendWithRetries(send, (outcome) => (isTemporary(outcome) ? policy : undefined), clock)
  }

  async function converse(asking: Asking, maxRequests: number) {
    for (let next = asking.next(); !next.done; ) {
      const outcome = await ask(next.value, maxRequests)
      if (outcome === undefined) return
      if (outcome instanceof UpstreamFailure && received.length === 0) throw outcome
      if (!(outcome instanceof UpstreamFailure) && !next.value.credentials && classOf(outcome) === 'rejected')
        throw new CommandError(`The platform rejects the credentials: ${outcome.status}.`, {
          fix: 'set valid ones: longshore credentials set, or LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN',
        })
      next = asking.next(readAnswer(outcome))
    }
  }

  const probe = { ...entity, facts }
  await converse(askPlatform(probe), probeLimits.requests - reserved)
  if (options.wrongKey) await converse(askWrongKey(probe), probeLimits.requests)
  if (options.tokenLife) await converse(askTokenLife(probe), probeLimits.requests)
  return { facts: { ...facts, ...transportFacts(received) }, requests: spent.requests }
}
