import { randomUUID } from 'node:crypto'
import { ProblemError } from '../../http/result.ts'
import { describeError, log } from '../../runtime/log.ts'
import { OutcomeUnknown } from '../response/failures.ts'
import type { RelayedResponse } from '../response/relay.ts'
import type { IdempotentRequest } from './idempotency-key.ts'
import { afterError, afterResponse, type KeyRule } from './key-rules.ts'
import type { ResponseStore } from './stored-response.ts'
import { completed, type RunningRequest, type StoredResponse, unpack } from './stored-response.ts'

/** Longer than a function that serves a caller can run: one that is still `running` after this time has crashed. */
const runningMs = 35_000

/**
 * Performs the first request of a key, and returns its response again for a repeat. Throws `ProblemError` for a repeat
 * while the first is running, for a different request, and after a first request whose outcome is unknown.
 */
export async function withIdempotency(
  store: ResponseStore,
  { id, fingerprint }: IdempotentRequest,
  perform: () => Promise<RelayedResponse>,
): Promise<RelayedResponse> {
  const now = Date.now()
  const first: RunningRequest = { kind: 'running', fingerprint, owner: randomUUID(), until: now + runningMs }
  const stored = await store.begin(id, first, now)
  if (stored) return replay(stored, fingerprint)

  const settle = (rule: KeyRule, outcome: () => StoredResponse) => {
    const write = rule === 'free' ? store.remove(id, first.owner) : store.replace(id, outcome(), Date.now())
    // The caller still receives the response. The key stays `running`, and later its outcome counts as unknown.
    return write.catch((error: unknown) =>
      log('ERROR', 'the response for an idempotency key cannot be stored', { error: describeError(error) }),
    )
  }
  const unknown: StoredResponse = { kind: 'unknown', fingerprint, owner: first.owner }
  try {
    const response = await perform()
    const rule = afterResponse(response.statusCode)
    await settle(rule, () => (rule === 'keep' ? completed(first, response) : unknown))
    return response
  } catch (error) {
    await settle(afterError(error), () => unknown)
    throw error
  }
}

function replay(stored: StoredResponse, fingerprint: string): RelayedResponse {
  if (stored.fingerprint !== fingerprint) {
    throw new ProblemError(
      'idempotency-key-reused',
      'This Idempotency-Key was sent with another body or query before. Choose a new key for a new update.',
    )
  }
  switch (stored.kind) {
    case 'completed': {
      const { headers, ...result } = unpack(stored.response)
      return { ...result, headers: { ...headers, 'idempotency-replayed': 'true' } }
    }
    case 'completed-too-large':
      throw new ProblemError(
        'response-too-large',
        `The platform responded to the first request with status ${stored.status}, and the response is too large to store. Do not send the update again.`,
      )
    case 'running':
      if (stored.until > Date.now()) {
        throw new ProblemError(
          'idempotency-key-running',
          'The first request with this Idempotency-Key is still running. Try again in a few seconds.',
        )
      }
      throw new OutcomeUnknown()
    case 'unknown':
      throw new OutcomeUnknown()
  }
}
