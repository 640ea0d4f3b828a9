import type { Exchange } from '../../upstream/recorded-exchange.ts'

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
  const { status, age, details, bodyBytes } = exchange
  // Several caches may each add an age, in seconds.
  if (age?.split(',').some((seconds) => Number(seconds) > 60)) return { unknown: 'cache' }
  // A longer body is recorded up to its limit only.
  const body = (details?.body ?? '').trim()
  if (status >= 200 && status < 300) {
    if (details?.ids) return 'documents'
    if (/^(?:\[\s*\])?$/.test(body) && !(details && bodyBytes > 1_000)) return 'empty'
    if (/^(?:null|\{\s*\}|"")$/.test(body)) return 'nothing'
    const value = bodyBytes <= 1_000 ? /^(?:true|false|\d+|".*"|\{.*\})$/s : /^\{/
    return { unknown: value.test(body) ? 'no-list' : 'not-json' }
  }
  const isTooManyScrolls = status === 400 && /maximum simultaneous scrolls/i.test(body)
  if (status === 401 || status === 429 || isTooManyScrolls) return 'not-done'
  // A firewall sends HTML. Otherwise the platform has rejected the credentials or limits the rate, and has done nothing.
  const isTyped = /html/i.test(details?.headers['content-type'] ?? '') && !/^(?:[[{]|$)/.test(body)
  const isHtml = isTyped || /^<(?!(?:\?xml[^<]*<)?error)/i.test(body)
  if (status === 403) return isHtml ? { unknown: 'firewall' } : 'not-done'
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 425
  return isRefusal ? 'refused' : { unknown: String(status) }
}
