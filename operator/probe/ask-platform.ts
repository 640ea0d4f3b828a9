import { headerName, platformHeaders } from '../../functions/platform/headers.ts'
import { readRangeTotal, readToken, totalIn } from '../../functions/platform/response-headers.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import { epochMicroseconds } from '../../stored/documents/iso-8601.ts'
import { decideCoverage, keptBoundaries, type Reading } from '../../stored/partitions/coverage.ts'
import { filterOf, rangesBetween } from '../../stored/partitions/ranges.ts'
import {
  dateFact,
  filterFact,
  pageSizeFact,
  sameTotals,
  scrollTotalFact,
  shiftFact,
  tokenFacts,
  tokenLifeFact,
  totalCheckFact,
  unclear,
  unitMs,
  unlessRefused,
} from './conclusions.ts'
import type { IndexFact, ProbeFacts } from './facts.ts'
import type { Document, Probe, ProbeOutcome, ProbeTask } from './question.ts'
import { continueScroll, openProbeScroll, search } from './question.ts'

const sampled = 10
/** Searches stop at document 10,000. */
const maxSearched = 9_900

/** Asks in order of use: what a sync needs, what increments need, then ranges. */
export function* askPlatform(probe: Probe): ProbeTask {
  const { facts, entity } = probe
  const whole = yield* askTotal(probe)
  const sample = documentsOf(yield* search(probe, { fields: '_all', count: sampled }))
  const created = yield* askDate(probe, 'createdIn', sample)
  const updated = yield* askDate(probe, 'updatedIn', sample)
  // Without a date that it finds, a platform may not understand the filter.
  if (created.length === 0 && ['null', 'absent'].includes(facts.updatedIn.kind))
    facts.updatedIn = unclear('nothing')
  const never = '(createdIn < 1900-01-01T00:00:00Z) AND (createdIn > 2900-01-01T00:00:00Z)'
  const isDated = datesOf('createdIn', sample).length > 0
  const where = isDated ? never : `(${entity.idField} = longshore-probe)`
  const control = isDated ? created : sample
  facts.searchFilter = filterFact(yield* search(probe, { where }), control)
  facts.unknownField = filterFact(yield* search(probe, { where: '(longshoreProbe = 1)' }), control)
  const small = yield* openProbeScroll(probe, { size: 2 })
  yield* askPages(probe, small)
  facts.scrollFilter = filterFact(yield* openProbeScroll(probe, { size: 1, where }), documentsOf(small))
  yield* askEnd(probe, whole)
  if (facts.searchFilter.kind !== 'honored') return
  facts.createdInIndex = yield* askIndex(probe, 'createdIn', created)
  facts.updatedInIndex = yield* askIndex(probe, 'updatedIn', updated)
  const middle = created[0]
  if (middle) facts.ranges = yield* askRanges(probe, iso(middle.timeMs))
  // The total of searches is not capped then.
  if (facts.totalCheck === sameTotals && facts.ranges.kind === 'add-up') facts.totalCheck = { kind: 'right' }
}

const documentsOf = (outcome: ProbeOutcome) => (outcome.kind === 'documents' ? outcome.documents : [])
const headersOf = (outcome: ProbeOutcome) => ('headers' in outcome ? outcome.headers : {})
const rangeTotal = (outcome: ProbeOutcome) => readRangeTotal(headersOf(outcome))

function* askTotal(probe: Probe): ProbeTask<number | undefined> {
  const outcome = yield* search(probe)
  const documents = rangeTotal(outcome)
  const text = String(headersOf(outcome)[platformHeaders.contentRange])
  const separator = /^resources\s*=/i.test(text) ? '=' : ' '
  probe.facts.searchTotal = unlessRefused(
    outcome,
    documents === undefined ? { kind: 'missing' } : { kind: 'reported', documents, separator },
  )
  return documents
}

type DateField = 'createdIn' | 'updatedIn'

interface FoundDate {
  readonly printed: string
  readonly timeMs: number
}

const datesOf = (field: string, documents: readonly Document[]): FoundDate[] =>
  documents.flatMap(({ [field]: value }) => {
    const microseconds = typeof value === 'string' ? epochMicroseconds(value) : undefined
    return microseconds === undefined
      ? []
      : [{ printed: String(value), timeMs: Math.floor(microseconds / 1000) }]
  })
const iso = (timeMs: number) => new Date(timeMs).toISOString()

/** Finds out how a date is printed, and returns dates from the middle of the entity, or its first ones. */
function* askDate(probe: Probe, field: DateField, sample: readonly Document[]): ProbeTask<FoundDate[]> {
  const request = { where: `(${field} is not null)`, fields: field, sort: `${field} ASC`, count: sampled }
  const first = yield* search(probe, request)
  const from = Math.floor(Math.min(rangeTotal(first) ?? 0, maxSearched) / 2)
  const isLong = first.kind === 'documents' && from > sampled
  const middle = isLong ? yield* search(probe, { ...request, from }) : first
  const found = [...documentsOf(first), ...documentsOf(middle)]
  const values = [...sample, ...found].flatMap((document) => document[field] ?? [])
  const isPrinted = sample.some((document) => field in document)
  if (values.length > 0) probe.facts[field] = dateFact(values)
  else if (first.kind !== 'nothing' || sample.length === 0) probe.facts[field] = unclear(first)
  else probe.facts[field] = { kind: isPrinted ? 'null' : 'absent' }
  const dates = datesOf(field, documentsOf(middle))
  return dates.length > 0 ? dates : datesOf(field, documentsOf(first))
}

/** Totals, tokens and sizes, by a scroll of small pages and the first page of the configured size. */
function* askPages(probe: Probe, small: ProbeOutcome): ProbeTask {
  const { facts } = probe
  const token = tokenOf(probe, small)
  if (small.kind !== 'documents') {
    facts.scrollTotal = unlessRefused(small, unclear(small))
    return
  }
  const before = 'documents' in facts.searchTotal ? facts.searchTotal.documents : undefined
  const counted = Math.max(before ?? 0, Number(totalIn(headersOf(small))) || 0)
  if (token !== undefined) {
    const outcome = yield* continueScroll(probe, token)
    const [second, tokens] = [documentsOf(outcome), [token, tokenOf(probe, outcome)]]
    const isWhole = counted <= small.documents.length + second.length
    if (second.length > 0) {
      const again = yield* continueScroll(probe, token)
      Object.assign(facts, tokenFacts({ tokens, second, again, idField: probe.entity.idField, isWhole }))
    }
  } else if (counted > small.documents.length) facts.tokenHeader = { kind: 'never' }
  const { size, page } = yield* openLargest(probe)
  const total = scrollTotalFact(
    [small, page].filter((outcome) => 'headers' in outcome).map((outcome) => totalIn(headersOf(outcome))),
  )
  facts.scrollTotal = total
  if (page.kind !== 'documents') {
    facts.pageSize = unlessRefused(page, unclear(page))
    return
  }
  const received = page.documents.length
  const hasMore = received === size ? true : yield* askMore(probe, page)
  const seen = { asked: size, received, ofTwo: small.documents.length, hasMore }
  const isSmaller = size < probe.entity.pageSize
  facts.pageSize = isSmaller ? { kind: 'times-out', documents: size } : pageSizeFact(seen)
  const from = total.kind === 'reported' && total.documents < maxSearched ? total.documents : undefined
  const beyond = from === undefined ? undefined : yield* search(probe, { from })
  const searches = [before, beyond && rangeTotal(beyond)].filter((count) => count !== undefined)
  facts.totalCheck = totalCheckFact({ total, searches, received, isAll: hasMore === false, beyond })
}

const tooSlow = ['408', 'timeout', 'too-large']

/** The first page of the configured size, or of a smaller one if that takes too long twice. */
function* openLargest(probe: Probe): ProbeTask<{ readonly size: number; readonly page: ProbeOutcome }> {
  const { pageSize } = probe.entity
  for (const size of [pageSize, pageSize]) {
    const page = yield* openProbeScroll(probe, { size, of: 'query' })
    if (page.kind !== 'none' || !tooSlow.includes(page.response)) return { size, page }
  }
  const size = Math.ceil(pageSize / 4)
  return { size, page: yield* openProbeScroll(probe, { size, of: 'query' }) }
}

/** Whether a page is followed by another one; undefined if that is not known. */
function* askMore(probe: Probe, page: ProbeOutcome): ProbeTask<boolean | undefined> {
  const token = tokenOf(probe, page)
  if (token === undefined) return undefined
  const next = yield* continueScroll(probe, token)
  return next.kind === 'none' ? undefined : next.kind === 'documents'
}

const tokenOf = ({ upstream }: Probe, outcome: ProbeOutcome) =>
  readToken(headersOf(outcome), headerName(platformHeaders.scrollToken, upstream.headerPrefix))

const fewDocuments = 10
const maxEndRequests = 8

/** Scrolls a few documents to the end: the oldest, or all. */
function* askEnd(probe: Probe, whole = Number.POSITIVE_INFINITY): ProbeTask {
  const { facts } = probe
  const oldest = { fields: 'createdIn', where: '(createdIn is not null)', sort: 'createdIn ASC', from: 4 }
  const canFilter = facts.scrollFilter.kind === 'honored'
  const [fifth] = canFilter ? datesOf('createdIn', documentsOf(yield* search(probe, oldest))) : []
  if (!fifth && whole > fewDocuments) return
  const where = fifth && filterOf('createdIn', { kind: 'up-to', to: iso(fifth.timeMs) })
  const first = yield* openProbeScroll(probe, { size: 3, ...(where !== undefined && { where }) })
  if (first.kind !== 'documents') {
    facts.end = unclear(first)
    // For the filter of a scroll that finds no document, whether or not one matches.
    const found = where !== undefined && first.kind === 'nothing' ? yield* search(probe, { where }) : first
    if (found.kind === 'documents') facts.scrollFilter = unclear('nothing')
    return
  }
  let outcome: ProbeOutcome = first
  let token = tokenOf(probe, outcome)
  let received = first.documents.length
  for (let sent = 1; outcome.kind === 'documents' && token !== undefined && sent < maxEndRequests; sent++) {
    outcome = yield* continueScroll(probe, token)
    token = tokenOf(probe, outcome) ?? token
    received += documentsOf(outcome).length
  }
  // Before all documents have come, a refusal has another reason.
  const isAll = received === totalIn(first.headers)
  if (outcome.kind === 'nothing') facts.end = { kind: outcome.form }
  else facts.end = outcome.kind === 'refused' && isAll ? outcome : unclear(outcome)
  if (facts.end.kind === 'unclear' || token === undefined) return
  const after = yield* continueScroll(probe, token)
  facts.afterEnd = unlessRefused(after, { kind: after.kind === 'nothing' ? 'end' : 'again' })
}

const units = ['days', 'hours', 'minutes', 'seconds', 'milliseconds'] as const

/**
 * How coarse a platform indexes a date, by searches for one document's time without its smaller parts. They find the
 * document only if the index lacks these parts too, whether the platform cuts the times of filters or not.
 */
function* askIndex(probe: Probe, field: DateField, dates: readonly FoundDate[]): ProbeTask<IndexFact> {
  const finerOf = (index: number) => unitMs[units[index + 1] ?? 'milliseconds']
  const partsOf = ({ timeMs }: FoundDate) =>
    units.filter((unit, index) => timeMs % unitMs[unit] >= finerOf(index)).length
  const chosen = dates.toSorted((a, b) => partsOf(b) - partsOf(a))[0]
  if (!chosen) return { kind: 'not-tried' }
  const { timeMs, printed } = chosen
  // What is never printed cannot be told from what is not indexed.
  const base = units.findIndex((unit) => dates.every((date) => date.timeMs % unitMs[unit] === 0))
  const text = printed.replace(' ', 'T')
  const exact = { utc: text, local: `${text}Z` }[probe.facts[field].kind as string] ?? iso(timeMs)
  let isRound = false
  for (const [index, unit] of units.slice(0, base + 1).entries()) {
    const [ms, finerMs] = [unitMs[unit], finerOf(index)]
    const cut = timeMs - (timeMs % ms)
    // Without the next smaller part, the time is also what a finer index has.
    const isSame = index < base && timeMs % ms < finerMs
    const where =
      index < base ? `(${field} = ${iso(cut)})` : `(${field} = ${exact} OR ${field} = ${iso(timeMs)})`
    const found = isSame ? [] : yield* searchDates(probe, field, where)
    const times = found.map((date) => date.timeMs)
    const isWithin = times.every((time) => time - (time % ms) === cut)
    const isSpread = isWithin && Math.max(...times) - Math.min(...times) >= finerMs
    if (found.some((date) => date.printed === printed) || (index < base && isSpread))
      return isRound ? unclear('round times') : isWithin ? { kind: unit } : unclear('other documents')
    isRound = isSame
  }
  return yield* askShift(probe, field, chosen)
}

/** The dates that a search finds, the latest first. */
function* searchDates(probe: Probe, field: DateField, where: string): ProbeTask<FoundDate[]> {
  const request = { fields: field, where, sort: `${field} DESC`, count: 100 }
  return datesOf(field, documentsOf(yield* search(probe, request)))
}

function* askShift(probe: Probe, field: DateField, { timeMs, printed }: FoundDate): ProbeTask<IndexFact> {
  const time = iso(timeMs)
  const [before] = yield* searchDates(probe, field, filterOf(field, { kind: 'up-to', to: time }))
  const where = filterOf(field, { kind: 'from', from: time })
  const [after] = datesOf(
    field,
    documentsOf(yield* search(probe, { fields: field, where, sort: `${field} ASC` })),
  )
  const shift = before && after ? shiftFact(timeMs, before.timeMs, after.timeMs) : unclear('no documents')
  if (shift.kind !== 'shifted') return shift
  const found = yield* searchDates(probe, field, `(${field} = ${iso(timeMs - shift.minutes * minuteMs)})`)
  return found.some((date) => date.printed === printed) ? shift : unclear('other documents')
}

const maxReadings = 3

/** Whether the ranges before and after a time, and the documents without one, are the whole entity. */
function* askRanges(probe: Probe, boundary: string): ProbeTask<ProbeFacts['ranges']> {
  const filters = [
    undefined,
    ...rangesBetween([boundary]).map((range) => filterOf('createdIn', range)),
    filterOf('createdIn', { kind: 'at', value: boundary }),
    undefined,
  ]
  const readings: Reading[] = []
  while (readings.length < maxReadings) {
    const totals: number[] = []
    for (const where of filters) {
      const outcome = yield* search(probe, where === undefined ? {} : { where })
      const total = rangeTotal(outcome)
      if (total === undefined) return unclear('no total')
      totals.push(total)
    }
    const [wholeBefore = 0, without = 0, upTo = 0, from = 0, at = 0, wholeAfter = 0] = totals
    readings.push({ wholeBefore, ranges: [without, upTo, from], boundaries: [at], wholeAfter })
    const decision = decideCoverage(readings)
    if (decision.kind === 'not-covered') return { kind: 'do-not-add-up' }
    if (decision.kind === 'covered')
      return { kind: keptBoundaries([boundary], [at], wholeAfter).length > 0 ? 'add-up' : 'too-few-values' }
  }
  return unclear('the total changes')
}

const agesMinutes = [5, 10, 19, 21]

/** Uses one token at each of these ages, since a request may extend the life of its token. */
export function* askTokenLife(probe: Probe): ProbeTask {
  // Without a second page, the end of a scroll looks like that of its token.
  if (probe.facts.tokens.kind === 'not-tried') return
  const tokens: (string | undefined)[] = []
  for (const _ of agesMinutes) tokens.push(tokenOf(probe, yield* openProbeScroll(probe, { size: 1 })))
  const uses: { minutes: number; outcome: ProbeOutcome }[] = []
  for (const [index, minutes] of agesMinutes.entries()) {
    const token = tokens[index]
    if (token === undefined) return
    const waitMs = (minutes - (agesMinutes[index - 1] ?? 0)) * minuteMs
    uses.push({ minutes, outcome: yield* continueScroll(probe, token, waitMs) })
    if (uses.at(-1)?.outcome.kind === 'refused') break
  }
  probe.facts.tokenLife = tokenLifeFact(uses)
}

export function* askWrongKey(probe: Probe): ProbeTask {
  const outcome = yield* search(probe, { credentials: 'wrong' })
  probe.facts.wrongKey = unlessRefused(outcome, { kind: 'accepted' })
}
