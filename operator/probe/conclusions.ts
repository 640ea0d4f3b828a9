import { epochMicroseconds } from '../../functions/documents/iso-8601.ts'
import { readDate, type readTotal } from '../../functions/platform/response-headers.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import type { Answer, Document } from './question.ts'
import type { Facts, indexUnits } from './report.ts'

/** Without a conclusion, and what came instead. */
export const unclear = (answer: Answer | string) => ({
  kind: 'unclear' as const,
  response: typeof answer === 'string' ? answer : describe(answer),
})

function describe(answer: Answer): string {
  switch (answer.kind) {
    case 'documents':
      return 'documents'
    case 'nothing':
      return answer.form
    case 'refused':
      return String(answer.status)
    case 'none':
      return answer.response
  }
}

/** What a filter that no document matches does. */
export function filterFact(answer: Answer): Facts['searchFilter'] {
  if (answer.kind === 'refused') return answer
  if (answer.kind === 'none') return unclear(answer)
  return { kind: answer.kind === 'nothing' ? 'honored' : 'ignored' }
}

/** By the values of a date that are not null. */
export function dateFact(values: readonly unknown[]): Facts['createdIn'] {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length < values.length || texts.some((text) => epochMicroseconds(text) === undefined))
    return { kind: 'other' }
  const zoneOf = (text: string) =>
    /(?:[Zz]|[+-]00:?00)$/.test(text) ? 'utc' : /:\d\d.*[+-]\d\d:?(?:\d\d)?$/.test(text) ? 'offset' : 'none'
  const zones = [...new Set(texts.map(zoneOf))]
  return zones.length === 1 && zones[0] ? { kind: 'dates', zone: zones[0] } : { kind: 'other' }
}

/** By the tokens of the responses of one scroll; undefined for one without. */
export function tokenFact([first, ...later]: readonly (string | undefined)[]): Facts['token'] {
  if (first === undefined) return { kind: 'none' }
  if (later.length === 0) return unclear('no second page')
  if (later.every((token) => token === undefined)) return { kind: 'first-response-only' }
  return { kind: later.every((token) => token === first) ? 'one' : 'changes' }
}

/** What a token that has requested `page` before requests now. */
export function spentTokenFact(page: readonly Document[], again: Answer): Facts['spentToken'] {
  if (again.kind === 'refused') return again
  if (again.kind === 'none') return unclear(again)
  const isSame = again.kind === 'documents' && JSON.stringify(again.documents) === JSON.stringify(page)
  return { kind: isSame ? 'same-page' : 'next-page' }
}

/** By the totals of responses without a filter. */
export function scrollTotalFact(totals: readonly ReturnType<typeof readTotal>[]): Facts['scrollTotal'] {
  const numbers = totals.filter((total) => typeof total === 'number')
  const last = numbers.at(-1)
  if (totals.includes('malformed')) return { kind: 'malformed' }
  if (last === undefined) return { kind: 'missing' }
  return { kind: 'reported', documents: last, isStable: totals.every((total) => total === last) }
}

export interface SeenOfTotal {
  readonly search: Facts['searchTotal']
  /** Documents of a page, and whether they are all that the scroll has. */
  readonly page: { readonly documents: number; readonly isAll: boolean } | undefined
  /** The search for the document after the last one that the total counts; undefined if none was sent. */
  readonly beyond: Answer | undefined
}

export function totalCheckFact(
  total: Facts['scrollTotal'],
  { search, page, beyond }: SeenOfTotal,
): Facts['totalCheck'] {
  if (total.kind !== 'reported') return unclear('no total')
  const { documents, isStable } = total
  if (beyond?.kind === 'documents' || (page && page.documents > documents)) return { kind: 'too-low' }
  const others = [search.kind === 'reported' && search.documents, page?.isAll && page.documents]
  const known = others.filter((other) => typeof other === 'number')
  if (known.length === 0) return unclear('nothing to compare')
  if (known.includes(documents)) return { kind: 'agrees' }
  return isStable ? { kind: 'differs' } : unclear('the total changes')
}

export interface SeenOfSize {
  readonly asked: number
  readonly received: number
  /** Documents of a first page of two. */
  readonly ofTwo: number
  /** Whether another page follows; undefined if that is not known. */
  readonly hasMore: boolean | undefined
}

export function pageSizeFact({ asked, received, ofTwo, hasMore }: SeenOfSize): Facts['pageSize'] {
  const factor = ofTwo / 2
  if (ofTwo > 2 || (ofTwo < 2 && received > ofTwo)) {
    if (received === ofTwo) return { kind: 'ignored', documents: received }
    const isMultiplied = received === Math.round(asked * factor) || (received > ofTwo && hasMore === false)
    return isMultiplied ? { kind: 'multiplied', by: factor } : unclear(`${ofTwo} of 2`)
  }
  if (received > asked || hasMore === undefined) return unclear(`${received} of ${asked}`)
  return received < asked && hasMore ? { kind: 'capped', at: received } : { kind: 'honored', upTo: received }
}

export function endFact(answer: Answer): Facts['end'] {
  if (answer.kind === 'nothing') return { kind: answer.form }
  return answer.kind === 'refused' ? answer : unclear(answer)
}

export function afterEndFact(answer: Answer): Facts['afterEnd'] {
  if (answer.kind === 'nothing') return { kind: 'end-again' }
  if (answer.kind === 'documents') return { kind: 'begins-again' }
  return answer.kind === 'refused' ? answer : unclear(answer)
}

type Unit = (typeof indexUnits)[number]
export const unitMs: Readonly<Record<Unit, number>> = {
  milliseconds: 1,
  seconds: 1_000,
  minutes: minuteMs,
  hours: 60 * minuteMs,
  days: 24 * 60 * minuteMs,
}

const zoneStepMs = 15 * minuteMs
const maxZoneMs = 14 * 60 * minuteMs

/**
 * By the nearest printed times (epoch milliseconds) that searches before and after `asked` find. Zones differ from UTC by
 * quarters of an hour.
 */
export function shiftFact(asked: number, before: number, after: number): Facts['createdInIndex'] {
  const first = Math.ceil((before - asked) / zoneStepMs)
  const last = Math.floor((after - asked) / zoneStepMs)
  const shiftMs = first * zoneStepMs
  return first === last && first !== 0 && Math.abs(shiftMs) <= maxZoneMs
    ? { kind: 'shifted', minutes: shiftMs / minuteMs }
    : unclear('other documents')
}

/** By the ages at which tokens were used, in ascending order, and what came. */
export function tokenLifeFact(
  uses: readonly { readonly minutes: number; readonly answer: Answer }[],
): Facts['tokenLife'] {
  const failed = uses.find(({ answer }) => answer.kind === 'none')
  if (failed) return unclear(failed.answer)
  const ended = uses.findIndex(({ answer }) => answer.kind === 'refused')
  const lived = ended < 0 ? uses : uses.slice(0, ended)
  return { kind: 'minutes', atLeast: lived.at(-1)?.minutes ?? 0, atMost: uses[ended]?.minutes ?? null }
}

/** A response as it came, and when (epoch milliseconds). */
export interface Received extends Pick<UpstreamResponse, 'status' | 'headers'> {
  readonly at: number
}

const maxClockMinutes = 5

/** What the responses show together. */
export function transportFacts(
  received: readonly Received[],
): Pick<Facts, 'coding' | 'cache' | 'cookies' | 'clock' | 'retryAfter'> {
  const [first] = received
  const coding = received.map(({ headers }) => headers['content-encoding']).find(Boolean)
  const waiting = received.filter(
    ({ status, headers }) =>
      [429, 503].includes(status) || (status === 403 && headers['retry-after'] !== undefined),
  )
  const has = (name: string) => received.some(({ headers }) => headers[name] !== undefined)
  const [date] = first ? [readDate(first.headers)] : []
  const minutes = Math.round(((date ?? 0) - (first?.at ?? 0)) / minuteMs)
  const isClose = Math.abs(minutes) <= maxClockMinutes
  return {
    coding: coding ? { kind: 'coded', coding: coding.toLowerCase().slice(0, 20) } : { kind: 'none' },
    cache: { kind: has('age') ? 'aged' : 'none' },
    cookies: { kind: has('set-cookie') ? 'set' : 'none' },
    clock:
      date === undefined ? { kind: 'missing' } : isClose ? { kind: 'agrees' } : { kind: 'differs', minutes },
    retryAfter: waiting.at(-1)
      ? { kind: 'seen', form: retryAfterForm(waiting.at(-1)?.headers['retry-after']) }
      : { kind: 'not-seen' },
  }
}

function retryAfterForm(text: string | undefined) {
  if (text === undefined) return 'none'
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) > 1e9 ? 'epoch' : 'seconds'
  return /\d\d:\d\d:\d\d/.test(text) ? 'date' : 'malformed'
}
