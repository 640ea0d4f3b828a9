import * as v from 'valibot'
import { type Advice, adviceOf } from './advice.ts'

/** One form of a fact. */
const kind = <const Name extends string, Entries extends v.ObjectEntries = Record<never, never>>(
  name: Name,
  entries?: Entries,
) => v.object({ ...(entries as Entries), kind: v.literal(name) })

/** `unclear`: the responses allow no conclusion. `response` is the last status, kind of failure or kind of body. */
const undecided = [kind('not-tried'), kind('unclear', { response: v.string() })] as const
const refused = kind('refused', { status: v.number() })

const fact = <const Options extends readonly v.GenericSchema<{ kind: string }>[]>(...options: Options) =>
  v.union([...undecided, ...options])

const filter = fact(kind('honored'), kind('ignored'), refused)

export const indexUnits = ['milliseconds', 'seconds', 'minutes', 'hours', 'days'] as const

const dates = fact(
  kind('absent'),
  kind('null'),
  // How the platform prints them.
  kind('dates', { zone: v.picklist(['utc', 'offset', 'none']) }),
  kind('other'),
)
const index = fact(
  kind('in-utc', { unit: v.picklist(indexUnits) }),
  // Values are compared as if they were this far from UTC.
  kind('shifted', { minutes: v.number() }),
)

/** What a platform does, by the order in which it is found out. Statuses and numbers, but no values of documents. */
const factsSchema = v.object({
  /** `REST-Content-Range` of searches. */
  searchTotal: fact(
    kind('reported', { documents: v.number(), separator: v.picklist(['=', ' ']) }),
    kind('missing'),
    refused,
  ),
  createdIn: dates,
  updatedIn: dates,
  searchFilter: filter,
  /** A filter on a field that no document has. */
  unknownField: fact(kind('finds-nothing'), kind('ignored'), refused),
  /** `REST-Content-Total` of scrolls. */
  scrollTotal: fact(
    kind('reported', { documents: v.number(), isStable: v.boolean() }),
    kind('missing'),
    kind('malformed'),
    refused,
  ),
  token: fact(kind('one'), kind('first-response-only'), kind('changes'), kind('none')),
  /** A token that was used before, sent again. */
  spentToken: fact(kind('same-page'), kind('next-page'), refused),
  pageSize: fact(
    kind('honored', { upTo: v.number() }),
    kind('capped', { at: v.number() }),
    kind('multiplied', { by: v.number() }),
    kind('ignored', { documents: v.number() }),
    // A first request for more receives 408, or nothing in time.
    kind('times-out', { above: v.number() }),
    refused,
  ),
  /** The total of scrolls, compared with what else was found. */
  totalCheck: fact(kind('agrees'), kind('too-low'), kind('differs')),
  scrollFilter: filter,
  /** What ends a scroll. */
  end: fact(
    ...(['empty-body', 'white-space', 'empty-array', 'no-content', 'null', 'object', 'text'] as const).map(
      (form) => kind(form),
    ),
    refused,
  ),
  afterEnd: fact(kind('end-again'), kind('begins-again'), refused),
  createdInIndex: index,
  updatedInIndex: index,
  /** Whether the ranges of a field contain the entity. */
  ranges: fact(
    ...(['add-up', 'do-not-add-up', 'too-few-values'] as const).map((name) => kind(name, { by: v.string() })),
  ),
  coding: fact(kind('none'), kind('coded', { coding: v.string() })),
  /** Whether responses have an `Age`. */
  cache: fact(kind('none'), kind('aged')),
  cookies: fact(kind('none'), kind('set')),
  /** `Date` of the responses, compared with this machine's clock. */
  clock: fact(kind('agrees'), kind('differs', { minutes: v.number() }), kind('missing')),
  /** The forms of `Retry-After` in responses that asked to wait. */
  retryAfter: fact(
    kind('not-seen'),
    kind('seen', { form: v.picklist(['none', 'seconds', 'date', 'epoch', 'malformed']) }),
  ),
  /** With `--token-life`. `atMost` is null if it lived to the last request. */
  tokenLife: fact(kind('minutes', { atLeast: v.number(), atMost: v.nullable(v.number()) })),
  /** With `--wrong-key`. */
  wrongKey: fact(kind('accepted'), refused),
})

export type Facts = v.InferOutput<typeof factsSchema>
export type FactName = keyof Facts

export const factNames = Object.keys(factsSchema.entries) as FactName[]

export const nothingTried = () =>
  Object.fromEntries(factNames.map((name) => [name, { kind: 'not-tried' }])) as unknown as Facts

const version = 1
const reportSchema = v.object({ version: v.literal(version), entity: v.string(), facts: factsSchema })

/** docs/probe-report.md describes it. */
export type ProbeReport = v.InferOutput<typeof reportSchema> & { readonly advice: Advice }

export const reportOf = (entity: string, facts: Facts): ProbeReport => ({
  version,
  entity,
  facts,
  advice: adviceOf(facts),
})

/** Reads a report of this version. Throws `SyntaxError`, or an error with what is wrong. */
export function parseReport(text: string): ProbeReport {
  const { entity, facts } = v.parse(reportSchema, JSON.parse(text))
  return reportOf(entity, facts)
}
