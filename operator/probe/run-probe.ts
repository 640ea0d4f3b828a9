import { setTimeout as wait } from 'node:timers/promises'
import { cookiesAfter } from '../../functions/platform/cookies.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import type { UpstreamSettings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../functions/upstream/credential-cache.ts'
import { decodeResponse } from '../../functions/upstream/decode-response.ts'
import { UpstreamFailure } from '../../functions/upstream/exchange.ts'
import { classOf } from '../../functions/upstream/intermediary.ts'
import type { RetryPolicy, UpstreamOutcome } from '../../functions/upstream/retry.ts'
import { isListed, sendWithRetries } from '../../functions/upstream/retry.ts'
import { searchRequest } from '../../stored/partitions/search.ts'
import { CommandError, Interrupted } from '../errors.ts'
import { askPlatform, askTokenLife, askWrongKey } from './ask-platform.ts'
import { type ReceivedByProbe, transportFacts } from './conclusions.ts'
import type { ProbeFacts } from './facts.ts'
import { type Probe, type ProbeQuestion, type ProbeTask, probeOutcome } from './question.ts'
import { nothingTried } from './report.ts'

export const probeLimits = { requests: 60, minutes: 2 } as const
/** Waits for a token's end are in addition to the two minutes. */
export const tokenLifeMinutes = 21
const tokenLifeRequests = 8

export interface ProbeOptions {
  readonly tokenLife: boolean
  readonly wrongKey: boolean
}

export interface ProbeContext {
  readonly upstream: UpstreamSettings
  readonly credentials: CredentialsSource
  /** Called before each request. */
  readonly onRequest: (requests: number) => void
  readonly sleep: (ms: number) => Promise<unknown>
  readonly now: () => number
}

/** Waits until the time is over. Throws `Interrupted`. */
export const interruptible = (signal: AbortSignal) => (ms: number) =>
  wait(ms, undefined, { signal }).catch(() => {
    throw new Interrupted('Interrupted. Nothing was changed.')
  })

const maxTotalMs = 30_000
const maxBytes = 256 * 1024 * 1024
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
  entity: Probe['entity'],
  { tokenLife, wrongKey }: ProbeOptions,
  { upstream, credentials, onRequest, sleep, now }: ProbeContext,
): Promise<{ readonly facts: ProbeFacts; readonly requests: number }> {
  const get: CredentialsSource['get'] = async (area) => ({
    ...(await credentials.get(area)),
    appToken: 'longshore-probe',
  })
  const client = createUpstream({ settings: upstream, credentials })
  const wrongClient = createUpstream({
    settings: upstream,
    credentials: { get, renew: async () => undefined },
  })
  const received: ReceivedByProbe[] = []
  let requests = 0
  let cookies: string | undefined
  let endsAt = now() + probeLimits.minutes * minuteMs

  /** Undefined if the limits are reached, before the request or while it waited. */
  async function send(question: ProbeQuestion, maxRequests: number): Promise<UpstreamOutcome | undefined> {
    const { target, headers, waitMs = 0 } = question
    // Also ends the probe after Ctrl-C.
    await sleep(waitMs)
    endsAt += waitMs
    const isOver = () => requests >= maxRequests || now() >= endsAt
    // Also before a repeat with newer credentials.
    const beforeSend = async () => {
      if (isOver()) throw new UpstreamFailure('not-sent')
      onRequest(++requests)
    }
    let totalMs = maxTotalMs
    const outcome = await sendWithRetries(
      async () => {
        totalMs = Math.min(maxTotalMs, endsAt - now())
        const sender = question.credentials === 'wrong' ? wrongClient : client
        const request = searchRequest(
          target,
          cookies === undefined ? headers : { ...headers, Cookie: cookies },
          totalMs,
        )
        const response = await sender.send({ ...request, maxBytes, beforeSend })
        cookies = cookiesAfter(cookies, response.headers, now())
        received.push({ ...response, by: classOf(response), at: now() })
        return decodeResponse(response, maxBytes)
      },
      // A platform may lock the account after a few wrong keys.
      (outcome) => (isListed(temporary, outcome) && !question.credentials && !isOver() ? policy : undefined),
      { now, sleep, random: Math.random, deadline: endsAt },
    )
    const cut = totalMs < maxTotalMs ? ['not-sent', 'timeout'] : ['not-sent']
    return outcome instanceof UpstreamFailure && cut.includes(outcome.kind) ? undefined : outcome
  }

  async function converse(asking: ProbeTask, maxRequests: number) {
    for (let next = asking.next(); !next.done; ) {
      const outcome = await send(next.value, maxRequests)
      if (outcome === undefined) return
      if (outcome instanceof UpstreamFailure) {
        if (received.length === 0) throw outcome
      } else if (classOf(outcome) === 'rejected' && !next.value.credentials) {
        if (!received.some(({ status }) => status < 300))
          throw new CommandError(`The platform rejects the credentials: ${outcome.status}.`, {
            fix: 'set valid ones: longshore credentials set, or LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN',
          })
        // They were valid before. A 403 may be about this request.
        if (outcome.status === 401) {
          endsAt = now()
          return
        }
      }
      next = asking.next(probeOutcome(outcome))
    }
  }

  const probe: Probe = { entity, upstream, facts: { ...nothingTried }, scrolls: { areTooMany: false } }
  const withoutWrongKey = probeLimits.requests - (wrongKey ? 1 : 0)
  await converse(askPlatform(probe), withoutWrongKey - (tokenLife ? tokenLifeRequests : 0))
  if (tokenLife) await converse(askTokenLife(probe), withoutWrongKey)
  // The last question, since it may lock the account.
  if (wrongKey) await converse(askWrongKey(probe), probeLimits.requests)
  return { facts: { ...probe.facts, ...transportFacts(received) }, requests }
}
