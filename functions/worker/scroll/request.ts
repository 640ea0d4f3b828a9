import type { Cursor } from '../../../stored/pages/page.ts'
import type { ScrollPlan } from '../../../stored/run/run.ts'
import { cookiesAfter } from '../../platform/cookies.ts'
import { scrollPath } from '../../platform/endpoints.ts'
import { readToken, totalIn } from '../../platform/response-headers.ts'
import type { TotalsRule } from '../../runtime/settings.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'

/** The first request sets the size and carries the query. Later ones carry the token alone (interface 4.5). */
export function scrollTarget(
  entity: string,
  query: ScrollPlan['query'],
  { token, pageSize }: Cursor,
): string {
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
