import { readDate, readRetryAfterMs, type totalIn } from '../../functions/platform/response-headers.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import { codingsOf } from '../../functions/upstream/content-codings.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import type { ResponseClass } from '../../functions/upstream/intermediary.ts'
import { epochMicroseconds } from '../../stored/documents/iso-8601.ts'
import type { DateFact, FilterFact, IndexFact, ProbeFacts } from './facts.ts'
import type { Document, ProbeOutcome } from './question.ts'

/** Without a conclusion, and what came instead. */
export function unclear(outcome: ProbeOutcome | string) {
  if (typeof outcome === 'string') return { kind: 'unclear', response: outcome } as const
  const other = outcome.kind === 'nothing' ? outcome.form : outcome.kind
  const response =
    outcome.kind === 'none' ? outcome.response : outcome.kind === 'refused' ? `${outcome.status}` : other
  return { kind: 'unclear', response } as const
}

/** The fact, unless the request was refused or had no usable response. */
export function unlessRefused<Fact>(outcome: ProbeOutcome, fact: Fact) {
  if (outcome.kind === 'none') return unclear(outcome)
  return outcome.kind === 'refused' ? outcome : fact
}

/** By the response to a filter that no document matches, and the documents that the platform finds otherwise. */
export function filterFact(outcome: ProbeOutcome, control: readonly unknown[]): FilterFact {
  if (outcome.kind === 'nothing' && control.length === 0) return unclear('nothing')
  return unlessRefused(outcome, { kind: outcome.kind === 'nothing' ? 'honored' : 'ignored' })
}

/** By the values of a date that are not null. */
export function dateFact(values: readonly unknown[]): DateFact {
  const kinds = new Set(values.map(printedAs))
  // Zones with summer time may be that of UTC in winter.
  if (kinds.has('offset')) kinds.delete('utc')
  const [kind] = kinds
  return kind === undefined || kinds.size > 1 ? { kind: 'other' } : { kind }
}

function printedAs(value: unknown) {
  if (typeof value !== 'string' || epochMicroseconds(value) === undefined) return 'other'
  if (/(?:[Zz]|[+-]00:?00)$/.test(value)) return 'utc'
  return /:\d\d.*[+-]\d\d:?(?:\d\d)?$/.test(value) ? 'offset' : 'local'
}

interface SeenTokens {
  /** Of each response; undefined for one without. */
  readonly tokens: readonly (string | undefined)[]
  readonly second: readonly Document[]
  /** What the token of the second page requests afterwards. */
  readonly again: ProbeOutcome
  readonly idField: string
  /** Whether no page may follow the second one. */
  readonly isWhole: boolean
}

export function tokenFacts(seen: SeenTokens): Pick<ProbeFacts, 'tokens' | 'tokenHeader'> {
  const { tokens, second, again, idField, isWhole } = seen
  const [first, ...later] = tokens
  const isOne = later.every((token) => token === undefined || token === first)
  const tokenHeader = { kind: later.includes(undefined) ? 'first' : 'every' } as const
  const idsOf = (page: readonly Document[]) => JSON.stringify(page.flatMap((one) => one[idField] ?? []))
  const isSame = again.kind === 'documents' && idsOf(again.documents) === idsOf(second)
  if (again.kind === 'none' || (isWhole && !isOne && again.kind !== 'documents'))
    return { tokenHeader, tokens: unclear(again) }
  if (isSame && (isOne || idsOf(second) === '[]')) return { tokenHeader, tokens: unclear('the same page') }
  const changing = again.kind === 'refused' ? 'newest-only' : isSame ? 'positional' : 'changing-cursor'
  return { tokenHeader, tokens: { kind: isOne ? 'cursor' : changing } }
}

/** By the totals of first responses without a filter. */
export function scrollTotalFact(totals: readonly ReturnType<typeof totalIn>[]): ProbeFacts['scrollTotal'] {
  const documents = totals.findLast((total) => typeof total === 'number')
  if (totals.includes('malformed')) return { kind: 'malformed' }
  if (documents === undefined) return { kind: 'missing' }
  return { kind: 'reported', documents, isStable: totals.every((total) => total === documents) }
}

interface SeenOfTotal {
  readonly total: ProbeFacts['scrollTotal']
  /** What searches before and after the scroll reported. */
  readonly searches: readonly number[]
  /** Documents of a page, and whether they are all. */
  readonly received: number
  readonly isAll: boolean
  /** The search for the document after the last one by the total; undefined if none was sent. */
  readonly beyond: ProbeOutcome | undefined
}

/** They are right unless both are capped. */
export const sameTotals = unclear('the same totals')

/** A document that was created in between makes no total wrong. */
export function totalCheckFact(seen: SeenOfTotal): ProbeFacts['totalCheck'] {
  const { total, searches, received, isAll, beyond } = seen
  if (total.kind !== 'reported') return unclear('no total')
  const { documents, isStable } = total
  const after = searches.at(-1) ?? Number.POSITIVE_INFINITY
  if (received > documents || (beyond?.kind === 'documents' && after <= documents)) return { kind: 'too-low' }
  const counts = isAll ? [...searches, received] : searches
  const isWhole = isAll || (beyond !== undefined && beyond.kind !== 'none')
  if (Math.min(...counts) <= documents && documents <= Math.max(...counts))
    return isWhole ? { kind: 'right' } : sameTotals
  // Some platforms count no further.
  if (documents > after && after >= 10_000) return unclear(`${after} by searches`)
  if (counts.length === 0 || !isStable) return unclear('nothing to compare')
  return { kind: documents < Math.min(...counts) ? 'too-low' : 'wrong' }
}

interface SeenOfSize {
  readonly asked: number
  readonly received: number
  /** Documents of a first page of two. */
  readonly ofTwo: number
  /** Whether another page follows; undefined if that is not known. */
  readonly hasMore: boolean | undefined
}

export function pageSizeFact({ asked, received, ofTwo, hasMore }: SeenOfSize): ProbeFacts['pageSize'] {
  const by = ofTwo / 2
  if (ofTwo > 2 || (ofTwo < 2 && received > ofTwo)) {
    if (received === ofTwo) return { kind: 'ignored', documents: received }
    return received === Math.round(asked * by) ? { kind: 'multiplied', by } : unclear(`${ofTwo} of 2`)
  }
  if (received > asked || hasMore === undefined || (!hasMore && received <= 2))
    return unclear(`${received} of ${asked}`)
  const isCapped = hasMore && received < asked
  return isCapped ? { kind: 'capped', documents: received } : { kind: 'honored', documents: asked }
}

export const unitMs = {
  days: 24 * 60 * minuteMs,
  hours: 60 * minuteMs,
  minutes: minuteMs,
  seconds: 1_000,
  milliseconds: 1,
} as const

const zoneStepMs = 15 * minuteMs
const maxZoneMs = 14 * 60 * minuteMs

/**
 * By the nearest printed times (epoch milliseconds) that searches before and after a time find. Zones differ from UTC by
 * quarters of an hour.
 */
export function shiftFact(asked: number, before: number, after: number): IndexFact {
  const shiftMs = Math.ceil((before - asked) / zoneStepMs) * zoneStepMs
  const isOnly = shiftMs === Math.floor((after - asked) / zoneStepMs) * zoneStepMs
  return isOnly && shiftMs !== 0 && Math.abs(shiftMs) <= maxZoneMs
    ? { kind: 'shifted', minutes: shiftMs / minuteMs }
    : unclear('other documents')
}

/** By the ages at which tokens were used, in ascending order, up to the first that was refused. */
export function tokenLifeFact(
  uses: readonly { readonly minutes: number; readonly outcome: ProbeOutcome }[],
): ProbeFacts['tokenLife'] {
  // A platform may respond to a token that has ended like to the end of a scroll.
  const failed = uses.find(({ outcome }) => outcome.kind === 'none' || outcome.kind === 'nothing')
  if (failed) return unclear(failed.outcome)
  const ended = uses.find(({ outcome }) => outcome.kind === 'refused')
  const lived = uses.findLast(({ outcome }) => outcome.kind !== 'refused')
  return { kind: 'minutes', atLeast: lived?.minutes ?? 0, atMost: ended?.minutes ?? null }
}

/** A response as it came, and when (epoch milliseconds). */
export interface ReceivedByProbe extends Pick<UpstreamResponse, 'status' | 'headers'> {
  readonly by: ResponseClass | undefined
  readonly at: number
}

const maxClockMinutes = 5

/** What the responses show together. */
export function transportFacts(received: readonly ReceivedByProbe[]) {
  const all = (name: string) => received.flatMap(({ headers }) => headers[name] ?? [])
  const [coding] = received.flatMap(({ headers }) => codingsOf(headers['content-encoding']))
  const first = received.find(({ by }) => by !== 'cache')
  const date = first && readDate(first.headers)
  const minutes = Math.round(((date ?? 0) - (first?.at ?? 0)) / minuteMs)
  const differs = Math.abs(minutes) > maxClockMinutes ? ({ kind: 'differs', minutes } as const) : undefined
  const waiting = received.findLast(({ status, by }) => [429, 503].includes(status) || by === 'rate-limit')
  return {
    coding: { kind: coding === undefined ? 'none' : coding === 'gzip' ? 'gzip' : 'other' },
    cache: { kind: all('age').length > 0 ? 'aged' : 'none' },
    cookies: { kind: all('set-cookie').length > 0 ? 'set' : 'none' },
    clock: date === undefined ? { kind: first ? 'missing' : 'not-tried' } : (differs ?? { kind: 'agrees' }),
    retryAfter: { kind: waiting ? retryAfterForm(waiting.headers) : 'not-seen' },
  } as const satisfies Partial<ProbeFacts>
}

function retryAfterForm(headers: UpstreamResponse['headers']) {
  const text = [headers['retry-after'] ?? []].flat().join(', ')
  if (text === '') return 'none'
  if (readRetryAfterMs(headers, 0) === undefined) return 'malformed'
  if (/\d\d:\d\d:\d\d/.test(text)) return 'date'
  return Number.parseFloat(text) > 1e9 ? 'epoch' : 'seconds'
}
