import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ProblemError } from '../../http/problem.ts'
import { describeError, log } from '../../runtime/log.ts'
import { UpstreamFailure } from '../../upstream/errors.ts'
import type { RelayedAnswer } from '../response-rules.ts'
import type { AnswerStore, KeptAnswer } from './answers.aws.ts'
import type { IdempotentRequest } from './idempotency-key.ts'

/** Longer than a function lives that answers a caller: what is still `running` then has died. */
const runningMs = 35_000
/** A DynamoDB item holds 400 KB. */
const maxStoredBytes = 350_000

/** With these the platform says that it did nothing, so that the key may be used again. */
const nothingDone = new Set([401, 403, 429, 503])

/**
 * Performs a request once for its key: a repeat is given the first answer. Throws `ProblemError` for a repeat that
 * comes too early, whose body differs, or whose first request has an outcome that nobody knows.
 */
export async function once(
  store: AnswerStore,
  { id, fingerprint }: IdempotentRequest,
  perform: () => Promise<RelayedAnswer>,
): Promise<RelayedAnswer> {
  const first: KeptAnswer = {
    state: 'running',
    fingerprint,
    keptBy: randomUUID(),
    until: Date.now() + runningMs,
  }
  const known = await store.begin(id, first, Date.now())
  if (known) return repeated(known, fingerprint)

  const settle = (what: Promise<void>) =>
    // What happened has happened: the caller is told that, and the key stays `running` until it counts as unknown.
    what.catch((error: unknown) =>
      log('ERROR', 'The answer of a keyed request could not be kept.', { error: describeError(error) }),
    )
  try {
    const result = await perform()
    if (nothingDone.has(result.statusCode)) await settle(store.free(id, first.keptBy))
    else await settle(store.change(id, answered(first, result), Date.now()))
    return result
  } catch (error) {
    if (mayHaveBeenDone(error)) await settle(store.change(id, { ...first, state: 'unknown' }, Date.now()))
    else await settle(store.free(id, first.keptBy))
    throw error
  }
}

/** A failure after the request was sent, or an answer that we did not pass on (a redirect, one too large). */
function mayHaveBeenDone(error: unknown): boolean {
  return error instanceof UpstreamFailure ? error.sent : error instanceof ProblemError
}

/** An answer in JSON; its bytes as characters of Latin-1, which shrink better than base64. */
type Kept = Omit<RelayedAnswer, 'body'> & { readonly latin1?: string }

function answered(first: KeptAnswer, { body, ...head }: RelayedAnswer): KeptAnswer {
  const whole: Kept = { ...head, ...(body && { latin1: body.toString('latin1') }) }
  const answer = gzipSync(JSON.stringify(whole))
  const kept: KeptAnswer = { ...first, state: 'answered', status: head.statusCode }
  return answer.length > maxStoredBytes ? kept : { ...kept, answer }
}

function repeated(known: KeptAnswer, fingerprint: string): RelayedAnswer {
  if (known.fingerprint !== fingerprint) {
    throw new ProblemError(
      'idempotency-key-reused',
      'This Idempotency-Key came with another body or query before. Choose a new key for a new update.',
    )
  }
  if (known.state === 'answered') {
    if (!known.answer) {
      const detail = `The update was answered with ${known.status}; its answer was too large to keep. Do not send it again.`
      throw new ProblemError('answer-too-large', detail)
    }
    const { statusCode, headers, latin1 } = JSON.parse(gunzipSync(known.answer).toString()) as Kept
    return {
      statusCode,
      headers: { ...headers, 'idempotency-replayed': 'true' },
      ...(latin1 !== undefined && { body: Buffer.from(latin1, 'latin1') }),
    }
  }
  if (known.state === 'running' && known.until > Date.now()) {
    const detail =
      'The first request with this Idempotency-Key is still under way. Send it again in some seconds.'
    throw new ProblemError('idempotency-key-running', detail)
  }
  throw new ProblemError(
    'idempotency-outcome-unknown',
    'Nobody knows whether the first request with this Idempotency-Key was carried out. Look at the subscription; if the update is missing, send it with a new key.',
    { outcome: 'unknown' },
  )
}
