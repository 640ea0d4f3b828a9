import type { Cursor } from '../../../stored/pages/page.ts'
import type { ScrollPlan } from '../../../stored/run/run.ts'
import { cookiesAfter } from '../../platform/cookies.ts'
import { scrollPath } from '../../platform/endpoints.ts'
import { readToken, totalIn } from '../../platform/response-headers.ts'
import type { TotalsRule } from '../../runtime/settings.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { redact } from '../../upstream/redact.ts'
import type { ScrollIo } from './io.ts'
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

/** The first request sets the size and carries the query. Later ones carry the token alone (interface 4.5). */
function scrollTarget(entity: string, query: ScrollPlan['query'], { token, pageSize }: Cursor): string {
  const parameters = new URLSearchParams()
  if (token !== undefined) parameters.set('_token', token)
  else {
    parameters.set('_size', String(pageSize))
    for (const [name, value] of Object.entries(query)) {
      for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
    }
  }
  return `${scrollPath.replace('{data_entity}', encodeURIComponent(entity))}?${parameters.toString()}`
}

/** The cursor after a response. The total and the time of opening are those of the first one. */
export function cursorAfter(
  cursor: Cursor,
  { headers }: Pick<UpstreamResponse, 'headers'>,
  { tokenHeader, totals, respondedAt }: { tokenHeader: string; totals: TotalsRule; respondedAt: number },
): Cursor {
  const opened = cursor.openedAt > 0
  return {
    token: readToken(headers, tokenHeader) ?? cursor.token,
    cookies: cookiesAfter(cursor.cookies, headers, respondedAt),
    pageSize: cursor.pageSize,
    total: opened ? cursor.total : totals === 'ignore' ? 'not-reported' : totalIn(headers),
    openedAt: opened ? cursor.openedAt : respondedAt,
    respondedAt,
  }
}
