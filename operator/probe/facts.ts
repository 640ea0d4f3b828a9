/** `unclear`: the responses allow no conclusion; `response` is what came instead. */
type Fact<Known extends { readonly kind: string }> =
  | Known
  | { readonly kind: 'not-tried' }
  | { readonly kind: 'unclear'; readonly response: string }
type Kind<Name extends string> = { readonly kind: Name }
type Refused = Kind<'refused'> & { readonly status: number }

/** What becomes of a filter. */
export type FilterFact = Fact<Kind<'honored' | 'ignored'> | Refused>
/** How dates are printed; `null` in every document, or missing in all. */
export type DateFact = Fact<Kind<'utc' | 'offset' | 'local' | 'other' | 'null' | 'absent'>>
/** By what part of a date its index finds it. `shifted`: the index takes it for the time of another zone. */
export type IndexFact = Fact<
  | Kind<'milliseconds' | 'seconds' | 'minutes' | 'hours' | 'days'>
  | (Kind<'shifted'> & { readonly minutes: number })
>

/** What a platform does, by the order of the table. Statuses and numbers, but no values of documents. */
export interface ProbeFacts {
  /** `REST-Content-Range` of searches. */
  searchTotal: Fact<
    | (Kind<'reported'> & { readonly documents: number; readonly separator: '=' | ' ' })
    | Kind<'missing'>
    | Refused
  >
  searchFilter: FilterFact
  /** A filter on a field that no document has. */
  unknownField: FilterFact
  createdIn: DateFact
  updatedIn: DateFact
  /** `REST-Content-Total` of scrolls. */
  scrollTotal: Fact<
    | (Kind<'reported'> & { readonly documents: number; readonly isStable: boolean })
    | Kind<'missing' | 'malformed'>
    | Refused
  >
  /** The total of scrolls, compared with what else was found. */
  totalCheck: Fact<Kind<'right' | 'too-low' | 'wrong'>>
  /** Which responses of a scroll have a token. */
  tokenHeader: Fact<Kind<'every' | 'first' | 'never'>>
  /** One for a scroll (`cursor`), or new ones: an old one has its page again, the next page, or is refused. */
  tokens: Fact<Kind<'cursor' | 'positional' | 'changing-cursor' | 'newest-only'>>
  pageSize: Fact<
    | (Kind<'honored' | 'capped' | 'times-out' | 'ignored'> & { readonly documents: number })
    | (Kind<'multiplied'> & { readonly by: number })
    | Refused
  >
  scrollFilter: FilterFact
  /** The response that ends a scroll, and the one after it. */
  end: Fact<Kind<EndKind> | Refused>
  afterEnd: Fact<Kind<'end' | 'again'> | Refused>
  createdInIndex: IndexFact
  updatedInIndex: IndexFact
  /** Whether ranges of `createdIn` contain the entity. */
  ranges: Fact<Kind<'add-up' | 'do-not-add-up' | 'too-few-values'>>
  coding: Fact<Kind<'none' | 'gzip' | 'other'>>
  /** Whether responses have an `Age`. */
  cache: Fact<Kind<'none' | 'aged'>>
  cookies: Fact<Kind<'none' | 'set'>>
  /** `Date` of the responses, compared with this machine's clock. */
  clock: Fact<Kind<'agrees' | 'missing'> | (Kind<'differs'> & { readonly minutes: number })>
  /** The form of `Retry-After` where the platform asked to wait. */
  retryAfter: Fact<Kind<'not-seen' | 'none' | 'seconds' | 'date' | 'epoch' | 'malformed'>>
  /** With `--token-life`. `atMost` is null if it lived until the last request. */
  tokenLife: Fact<Kind<'minutes'> & { readonly atLeast: number; readonly atMost: number | null }>
  /** With `--wrong-key`. */
  wrongKey: Fact<Kind<'accepted'> | Refused>
}

export type EndKind = 'empty' | 'white-space' | 'brackets' | 'no-content' | 'null' | 'object' | 'text'
export type FactName = keyof ProbeFacts
