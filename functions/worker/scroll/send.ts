import type { Cursor } from '../../../stored/pages/page.ts'
import type { ScrollPlan } from '../../../stored/run/run.ts'
import { redact } from '../../upstream/redact.ts'
import type { ScrollIo } from './io.ts'
import { scrollTarget } from './request.ts'
import { readScrollFailure, readScrollResponse, type ScrollResponse } from './response.ts'

export interface ScrollRequest {
  readonly entity: string
  readonly query: ScrollPlan['query']
  readonly cursor: Cursor
}

/** Requests the page that the cursor points to. Throws errors that are neither of the platform nor of the credentials. */
export async function sendScrollRequest(
  { entity, query, cursor }: ScrollRequest,
  io: Pick<ScrollIo, 'request' | 'redact' | 'now'>,
): Promise<ScrollResponse> {
  const { token, cookies } = cursor
  const kind = token === undefined ? 'first' : 'later'
  try {
    const result = await io.request(scrollTarget(entity, query, cursor), kind, { cookies })
    return readScrollResponse(result, {
      request: kind,
      now: io.now(),
      // The token of a scroll is enough to continue it.
      redact: (text) => redact(io.redact(text), token === undefined ? [] : [token]),
    })
  } catch (error) {
    return readScrollFailure(error, kind)
  }
}
