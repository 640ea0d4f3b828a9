import type { Exchange, ReceivedResponse } from '../../upstream/recorded-exchange.ts'

/** What a request of a scroll came to, read from what the HTTP client recorded. */
export type Outcome =
  /** A success without a document: nothing, white space, an empty list, or 204. */
  | 'empty'
  /** A success whose body is `null`, `{}` or `""`. */
  | 'nothing'
  /** A page after the end. */
  | 'documents'
  /** The platform refused the request, as it does for a token that it does not know. */
  | 'refused'
  /** Nothing was done: the request is sent again. */
  | 'not-done'
  /** The platform may have moved its cursor. */
  | { readonly unknown: string }

/** Our name of an outcome. */
export const outcomeName = (outcome: Outcome): string =>
  typeof outcome === 'object' ? outcome.unknown : outcome

export function outcomeOf(exchange: Exchange): Outcome {
  if ('error' in exchange)
    return exchange.error === 'not-sent' || exchange.error === 'unreachable'
      ? 'not-done'
      : { unknown: exchange.error }
  const { status, age } = exchange
  if (isFromCache(age)) return { unknown: 'cache' }
  if (status >= 200 && status < 300) return outcomeOfSuccess(exchange)
  if (status === 401 || status === 429 || (status === 400 && isTooManyScrolls(exchange))) return 'not-done'
  // A firewall sends HTML. Otherwise the platform has rejected the credentials or limits the rate, and has done nothing.
  if (status === 403) return isHtml(exchange) ? { unknown: 'firewall' } : 'not-done'
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 425
  return isRefusal ? 'refused' : { unknown: String(status) }
}

/** Several caches may each add an age. One of a minute is within what clocks and transfers add. */
const isFromCache = (age?: string) => age?.split(',').some((seconds) => Number(seconds) > 60)

function outcomeOfSuccess({ details }: ReceivedResponse): Outcome {
  if (details?.ids) return 'documents'
  const body = (details?.body ?? '').trim()
  // A longer body is recorded up to its limit only.
  if (/^(?:\[\s*\])?$/.test(body)) return 'empty'
  if (/^(?:null|\{\s*\}|"")$/.test(body)) return 'nothing'
  return { unknown: /^(?:true|false|\d+|".*"|\{.*\})$/s.test(body) ? 'no-list' : 'not-json' }
}

const isTooManyScrolls = ({ details }: ReceivedResponse) =>
  /maximum simultaneous scrolls/i.test(details?.body ?? '')

const isHtml = ({ details }: ReceivedResponse) =>
  /html/i.test(details?.headers['content-type'] ?? '') ||
  /^\s*<(?:!doctype\s+html|html)/i.test(details?.body ?? '')
