import { jsonBytes } from '../platform-response.ts'
import type { Rendering } from '../rendering.ts'
import type { Filtering } from '../search/search-behaviour.ts'
import type { ScrollTotal } from './total.ts'

/** How this platform scrolls. Deployments in the field differ in every one of these. */
export interface ScrollBehaviour {
  /**
   * `cursor`: one token per scroll, each request returns the NEXT page. `positional`: each response has a new token,
   * and an old one returns its page again. `changing-cursor`: new tokens too, but each moves the cursor.
   * `newest-only`: like `changing-cursor`, and older tokens are refused.
   */
  tokens: 'cursor' | 'positional' | 'changing-cursor' | 'newest-only'
  /** Which responses have the token header. `first` requires one token per scroll. */
  tokenHeader: 'every' | 'first' | 'never'
  /** Counted from the last request. */
  tokenLifeMs: number
  end: EndForm
  /** The response to a request after the end: the end again, that the token has expired, or the first page again. */
  afterEnd: 'end' | 'expired' | 'again'
  /** Whether a scroll's only page comes with a token. */
  onlyPage: 'with-token' | 'without-token'
  rendering: Rendering
  total: ScrollTotal
  /** Scrolls that may be open at once; the next first request is refused. */
  maxScrolls: number
  /** A first request with a larger `_size` receives 408. */
  timeoutOverSize: number
  /** Documents per page as a multiple of `_size`. */
  pageScale: number
  /** No page has more documents. */
  maxPageLength: number
  filter: Filtering
  /** After the last page the first one follows, without an end. */
  endless: boolean
  /** Documents created or deleted during a scroll appear in it, and in its total. */
  live: boolean
}

export const usualScroll: ScrollBehaviour = {
  tokens: 'cursor',
  tokenHeader: 'every',
  tokenLifeMs: 20 * 60_000,
  end: 'empty',
  afterEnd: 'end',
  onlyPage: 'with-token',
  rendering: 'compact',
  total: 'right',
  maxScrolls: 10,
  timeoutOverSize: Number.POSITIVE_INFINITY,
  pageScale: 1,
  maxPageLength: Number.POSITIVE_INFINITY,
  filter: 'honored',
  endless: false,
  live: false,
}

/** How a scroll ends on platforms that forget a finished one: its status and body. */
const finished = {
  null: [200, 'null'],
  refused: [400, '{"Message":"Operation not found"}'],
  'not-found': [404, '{"Message":"Not found"}'],
  gone: [410, ''],
  object: [200, '{}'],
  text: [200, '""'],
  'no-range': [416, ''],
} as const
const endForms = {
  empty: [200, ''],
  brackets: [200, '[]'],
  'white-space': [200, ' \r\n\t '],
  'no-content': [204, ''],
  ...finished,
} as const

export type EndForm = keyof typeof endForms

/** A response without documents. A scroll that begins with one has not finished before. */
export function scrollEnd(form: EndForm, headers: Record<string, string>, isFirst: boolean) {
  const [status, body] = endForms[isFirst && form in finished ? 'empty' : form]
  return { ...jsonBytes(Buffer.from(body), headers), status }
}
