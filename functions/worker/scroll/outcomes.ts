import type { UpstreamFailureKind } from '../../upstream/errors.ts'
import type { BodyKind } from './body-kind.ts'

/** What comes of a scroll request: what it says of the platform's cursor, and what follows. */
export type Verdict = Progress | Setback

export interface Progress {
  /** `unknown` makes the attempt suspect: a page may have been lost. */
  readonly cursor: 'moved' | 'unknown'
  readonly action: 'keep-page' | 'end'
}

export type Setback =
  | { readonly cursor: Cursor; readonly action: 'new-attempt' | 'fail' }
  | {
      readonly cursor: Cursor
      readonly action: 'again' | 'again-smaller'
      /** How often in a row and how long it is tried, and what follows then. */
      readonly budget: { readonly tries: number; readonly lastsMs: number }
      readonly onExhausted: 'new-attempt' | 'fail'
    }
type Cursor = 'none' | 'unmoved' | 'unknown' | 'dead'

const minute = 60_000
/** RetryState that lasts longer than this is an outage, and another hour's run will do better. */
const outage = { tries: 8, lastsMs: 4 * minute }
/** A platform that throttles is alive and asks for budget. */
const throttle = { tries: 15, lastsMs: 15 * minute }

const page = { cursor: 'moved', action: 'keep-page' } as const
const atEnd = { cursor: 'moved', action: 'end' } as const
/** Whether there were more the count decides. */
const lastPage = { cursor: 'unknown', action: 'end' } as const
/** No cursor has moved: the next request opens a scroll of its own. Later the size cannot change (interface 4.5). */
const retrySmaller = { cursor: 'none', action: 'again-smaller', budget: outage, onExhausted: 'fail' } as const
/** Nobody can tell whether the cursor has moved. On with the newest token; the count decides at the end. */
const continueSuspect = {
  cursor: 'unknown',
  action: 'again',
  budget: outage,
  onExhausted: 'new-attempt',
} as const
/** Nothing was done, and another scroll would meet the same. */
const waitThrottled = { cursor: 'unmoved', action: 'again', budget: throttle, onExhausted: 'fail' } as const
const sendAgain = { cursor: 'unmoved', action: 'again', budget: outage, onExhausted: 'fail' } as const
const restartScroll = { cursor: 'dead', action: 'new-attempt' } as const
/** The platform will never answer otherwise. */
const giveUp = { cursor: 'unmoved', action: 'fail' } as const

/**
 * Everything that may come of a scroll request, and what follows of it: `first` of the request that opens a scroll,
 * `later` of one that goes on with it, `any` of both. The code decides by nothing else. An answer is the first row
 * that its status and body fit; what else may come bears its row's name. In the sources "interface" is the
 * description of the platform's interface, "in practice" what is known of such platforms in the field.
 */
export const outcomes = {
  'no content': {
    statuses: ['204'],
    any: atEnd,
    source: 'In practice, Scroll: the end is an empty body, in the field also 204.',
  },
  nothing: {
    statuses: ['2xx'],
    body: 'nothing',
    any: atEnd,
    source:
      'Interface 4.5: an empty body means no more documents. In practice, Scroll: also [] and white space.',
  },
  documents: {
    statuses: ['2xx'],
    body: 'documents',
    any: page,
    source: 'Interface 4.5. In practice, Scroll: the newest token asks for the next page, whatever it means.',
  },
  'something else': {
    statuses: ['2xx'],
    body: 'something else',
    says: 'the platform answered {status} with a body that is no JSON array',
    first: retrySmaller,
    later: continueSuspect,
    source:
      'In practice, Scroll: a proxy answers 200 with an HTML page, or cuts a body off; error bodies differ.',
  },
  'request timeout': {
    statuses: ['408'],
    says: 'the platform answered {answer}',
    first: retrySmaller,
    later: continueSuspect,
    source:
      'In practice, Scroll: a large first page answers 408; a repeat works, a smaller _size works better.',
  },
  'too many requests': {
    statuses: ['429'],
    says: 'the platform answered {answer}',
    any: waitThrottled,
    source:
      'RFC 6585 section 4. In practice, Scroll: about 10 scrolls at once; 429 with and without Retry-After.',
  },
  'keys rejected': {
    statuses: ['401', '403'],
    says: 'the platform answered {answer}, and there are no newer credentials: set valid ones in the secret',
    any: giveUp,
    source:
      'In practice, Credentials: the old pair answers 401 or 403. The client has read the secret anew by then.',
  },
  'request refused': {
    statuses: ['4xx'],
    says: 'the platform answered {answer}',
    // A later request repeats what the first was allowed to ask; only its token can be wrong.
    first: giveUp,
    later: restartScroll,
    source: 'RFC 9110 section 15.5. In practice, Scroll: a dead token answers 400, "Operation not found".',
  },
  'platform failed': {
    statuses: ['5xx'],
    says: 'the platform answered {answer}',
    first: retrySmaller,
    later: continueSuspect,
    source: 'RFC 9110 section 15.6. In practice, Scroll: 503 under load, with and without Retry-After.',
  },
  'another status': {
    statuses: ['any'],
    says: 'the platform answered {answer}',
    first: retrySmaller,
    later: continueSuspect,
    source:
      'RFC 9110 section 15.4: a redirect, which no interface of the platform’s has; a proxy on the way.',
  },

  unreachable: {
    says: 'the platform could not be reached',
    any: sendAgain,
    source: 'RFC 9110 section 9.2.2: nothing was sent (name, connection, TLS), so a repeat is safe.',
  },
  timeout: {
    says: 'the platform did not answer in time',
    first: retrySmaller,
    later: continueSuspect,
    source: 'In practice, Scroll: a proxy holds the connection open for minutes.',
  },
  interrupted: {
    says: 'the connection broke before the answer was whole',
    first: retrySmaller,
    later: continueSuspect,
    source:
      'RFC 9112 section 8: a body that is cut off is no answer. In practice, Scroll: cut off in the middle.',
  },
  'too-large': {
    says: 'the answer is larger than a page can be',
    first: retrySmaller,
    later: continueSuspect,
    source: 'Interface 8: a page has at most 1000 documents; what is larger than memory is none.',
  },

  'keys not set': {
    says: 'the credentials are not set yet: put them into the secret and start again',
    any: giveUp,
    source: 'The placeholder that the secret is created with.',
  },
  'keys malformed': {
    says: '{cause}',
    any: giveUp,
    source: 'In practice, Credentials: two values. The secret holds something else.',
  },
  'keys unread': {
    says: 'the credentials could not be read',
    any: sendAgain,
    source: 'The store of the secrets failed, which passes; nothing was sent.',
  },

  'malformed page': {
    says: '{cause}',
    // On a first page only if it came without a token, and nothing was asked for after it.
    first: retrySmaller,
    later: continueSuspect,
    source:
      'RFC 8259: whole at both ends and no JSON within. In practice, Scroll: bodies are cut and changed.',
  },
  'no token': {
    says: 'a first page came without a token',
    first: lastPage,
    source: 'Interface 4.5: the first response carries the token; without it no other page can be asked for.',
  },
  'old token': {
    says: 'the scroll token died: 20 minutes passed',
    later: restartScroll,
    source: 'Interface 8. In practice, Scroll: counted from the last request on most deployments.',
  },
  'no end': {
    says: 'the scroll did not end within {pages} pages, twice what it should take',
    later: giveUp,
    source: 'Interface 4.5: pages = total divided by _size, rounded up.',
  },
} as const satisfies Record<string, Outcome> & Record<Exclude<UpstreamFailureKind, 'not-sent'>, Outcome>

export type OutcomeName = keyof typeof outcomes

interface Outcome {
  /** Of an answer: `5xx` is any of them. */
  readonly statuses?: readonly string[]
  /** What the body of a success holds, as far as a quick look tells. */
  readonly body?: BodyKind
  /** For the owner. `{answer}` is the status with the platform's own words. */
  readonly says?: string
  readonly any?: Verdict
  readonly first?: Verdict
  readonly later?: Verdict
  readonly source: string
}

/** The row of an answer. */
export function outcomeOfAnswer(status: number, body: BodyKind): OutcomeName {
  const fits = ({ statuses, body: only = body }: Outcome) =>
    only === body && statuses?.some((pattern) => matches(pattern, status))
  const found = Object.entries(outcomes).find(([, outcome]) => fits(outcome))
  if (!found) throw new Error(`No outcome is an answer with the status ${status}.`)
  return found[0] as OutcomeName
}

export function verdictOf(name: OutcomeName, isFirst: boolean): Verdict {
  const { any, first, later }: Outcome = outcomes[name]
  const verdict = any ?? (isFirst ? first : later)
  if (!verdict) throw new Error(`'${name}' cannot come of a ${isFirst ? 'first' : 'later'} request.`)
  return verdict
}

/** What a row says to the owner, with its gaps filled in. */
export function detailOf(name: OutcomeName, words: Readonly<Record<string, string>> = {}): string {
  const { says = '' }: Outcome = outcomes[name]
  return says.replaceAll(/\{(\w+)\}/g, (_, gap: string) => words[gap] ?? '')
}

function matches(pattern: string, status: number): boolean {
  return pattern === 'any' || pattern === String(status) || pattern === `${Math.floor(status / 100)}xx`
}
