import { epochMicroseconds } from '../../functions/documents/iso-8601.ts'
import { decideCoverage, keptBoundaries, type Reading } from '../../functions/partitions/coverage.ts'
import { filterOf, rangesBetween } from '../../functions/partitions/ranges.ts'
import { headerName, platformHeaders } from '../../functions/platform/headers.ts'
import { readRangeTotal, readToken, readTotal } from '../../functions/platform/response-headers.ts'
import { minuteMs } from '../../functions/runtime/durations.ts'
import {
  afterEndFact,
  dateFact,
  endFact,
  filterFact,
  pageSizeFact,
  scrollTotalFact,
  shiftFact,
  spentTokenFact,
  tokenFact,
  tokenLifeFact,
  totalCheckFact,
  unclear,
  unitMs,
} from './conclusions.ts'
import {
  type Answer,
  type Asking,
  continueScroll,
  type Document,
  openScroll,
  type ProbedEntity,
  search,
} from './question.ts'
import { type Facts, indexUnits } from './report.ts'

export interface Probe extends ProbedEntity {
  readonly headerPrefix: string
  /** Receives each fact as soon as it is known. */
  readonly facts: Facts
}

const sampled = 10
/** Searches stop at document 10,000. */
const maxSearched = 9_900

/** Asks in order of use: what a sync needs, what increments need, then ranges. */
export function* askPlatform(probe: Probe): Asking {
  const { facts } = probe
  const whole = yield* askSearchTotal(probe)
  const sample = documentsOf(yield* search(probe, { fields: '_all', count: sampled }))
  const created = yield* askDates(probe, 'createdIn', { sample, isTrusted: true })
  const updated = yield* askDates(probe, 'updatedIn', { sample, isTrusted: created.first.length > 0 })
  const impossible = impossibleFilter(probe)
  facts.searchFilter = filterFact(yield* search(probe, { ...ids(probe), where: impossible }))
  const unknown = yield* search(probe, { ...ids(probe), where: '(longshoreProbe = 1)' })
  const unknownFilter = filterFact(unknown)
  facts.unknownField = unknownFilter.kind === 'honored' ? { kind: 'finds-nothing' } : unknownFilter
  yield* askPages(probe)
  facts.scrollFilter = filterFact(yield* openScroll(probe, { ...ids(probe), size: 1, where: impossible }))
  yield* askEnd(probe, created.first, whole)
  if (facts.searchFilter.kind !== 'honored') return
  yield* askIndex(probe, 'createdIn', created.middle)
  yield* askIndex(probe, 'updatedIn', updated.middle)
  if (whole !== undefined) yield* askRanges(probe)
}

const ids = ({ entity }: Probe) => ({ fields: entity.idField })

const documentsOf = (answer: Answer) => (answer.kind === 'documents' ? answer.documents : [])
const headersOf = (answer: Answer) => ('headers' in answer ? answer.headers : {})

function* askSearchTotal(probe: Probe): Asking<number | undefined> {
  const answer = yield* search(probe, ids(probe))
  const total = readRangeTotal(headersOf(answer))
  const separator = /^resources\s*=/i.test(String(headersOf(answer)[platformHeaders.contentRange]))
    ? '='
    : ' '
  if (answer.kind === 'refused') probe.facts.searchTotal = answer
  else if (answer.kind === 'none') probe.facts.searchTotal = unclear(answer)
  else
    probe.facts.searchTotal =
      total === undefined ? { kind: 'missing' } : { kind: 'reported', documents: total, separator }
  return total
}

interface DatedDocuments {
  readonly first: readonly Document[]
  /** Of the middle of the entity. */
  readonly middle: readonly Document[]
}

function* askDates(
  probe: Probe,
  field: 'createdIn' | 'updatedIn',
  { sample, isTrusted }: { readonly sample: readonly Document[]; readonly isTrusted: boolean },
): Asking<DatedDocuments> {
  const request = {
    where: `(${field} is not null)`,
    fields: [...new Set([probe.entity.idField, 'createdIn', 'updatedIn'])].join(','),
    sort: `${field} ASC`,
    count: sampled,
  }
  const found = yield* search(probe, request)
  const first = documentsOf(found).filter((document) => document[field])
  const total = readRangeTotal(headersOf(found)) ?? 0
  const from = Math.floor(Math.min(total, maxSearched) / 2)
  const middle =
    first.length > 0 && total > sampled ? documentsOf(yield* search(probe, { ...request, from })) : []
  const values = [...sample, ...first, ...middle].flatMap((document) => document[field] ?? [])
  const isEmpty = found.kind === 'nothing' && isTrusted && sample.length > 0
  if (values.length > 0) probe.facts[field] = dateFact(values)
  else if (!isEmpty) probe.facts[field] = unclear(found)
  else probe.facts[field] = { kind: sample.some((document) => field in document) ? 'null' : 'absent' }
  return { first, middle: middle.length > 0 ? middle : first }
}

/** No document matches it, whatever its dates are. */
function impossibleFilter({ facts, entity }: Probe): string {
  return facts.createdIn.kind === 'dates'
    ? '(createdIn < 1900-01-01T00:00:00Z) AND (createdIn > 2900-01-01T00:00:00Z)'
    : `(${entity.idField} = longshore-probe)`
}

/** Totals, tokens and sizes, by a scroll of small pages and the first page of one as it is configured. */
function* askPages(probe: Probe): Asking {
  const { facts, entity } = probe
  const small = yield* openScroll(probe, { ...ids(probe), size: 2 })
  const token = tokenOf(probe, small)
  const totals = [readTotal(headersOf(small))]
  if (small.kind !== 'documents') {
    facts.scrollTotal = small.kind === 'refused' ? small : unclear(small)
    facts.token = unclear(small)
    return
  }
  const tokens = [token]
  if (token !== undefined) {
    const second = yield* continueScroll(probe, token)
    if (second.kind === 'documents') {
      tokens.push(tokenOf(probe, second))
      facts.spentToken = spentTokenFact(second.documents, yield* continueScroll(probe, token))
    }
  }
  facts.token = tokenFact(tokens)
  const { size, answer: page } = yield* openLargest(probe)
  if (page.kind !== 'documents') {
    facts.pageSize = page.kind === 'refused' ? page : unclear(page)
    facts.scrollTotal = scrollTotalFact(totals)
    return
  }
  totals.push(readTotal(headersOf(page)))
  facts.scrollTotal = scrollTotalFact(totals)
  const received = page.documents.length
  const hasMore = received === size ? true : yield* askMore(probe, page)
  facts.pageSize =
    size < entity.pageSize
      ? { kind: 'times-out', above: size }
      : pageSizeFact({ asked: size, received, ofTwo: small.documents.length, hasMore })
  const { scrollTotal: total, searchTotal } = facts
  const from = total.kind === 'reported' && total.documents < maxSearched ? total.documents : undefined
  const beyond = from === undefined ? undefined : yield* search(probe, { ...ids(probe), from })
  facts.totalCheck = totalCheckFact(total, {
    search: searchTotal,
    page: { documents: received, isAll: hasMore === false },
    beyond,
  })
}

const maxSmaller = 3

/** The first page of the configured size, or of a smaller one if that takes too long. */
function* openLargest(probe: Probe): Asking<{ readonly size: number; readonly answer: Answer }> {
  let size = probe.entity.pageSize
  for (let smaller = 0; ; smaller++) {
    const answer = yield* openScroll(probe, { size })
    const isTooSlow =
      answer.kind === 'none' && ['408', 'timeout', 'interrupted', 'too-large'].includes(answer.response)
    if (!isTooSlow || smaller === maxSmaller || size < 2) return { size, answer }
    size = Math.floor(size / 2)
  }
}

/** Whether a page is followed by another one. */
function* askMore(probe: Probe, page: Answer): Asking<boolean | undefined> {
  const token = tokenOf(probe, page)
  const next = token === undefined ? undefined : yield* continueScroll(probe, token)
  if (next?.kind === 'none') return undefined
  return next === undefined ? false : next.kind === 'documents'
}

const tokenOf = ({ headerPrefix }: Probe, answer: Answer) =>
  readToken(headersOf(answer), headerName(platformHeaders.scrollToken, headerPrefix))

const maxEndRequests = 8
const endDocuments = 5

/** Scrolls a few documents to the end: the oldest, or all. */
function* askEnd(probe: Probe, oldest: readonly Document[], whole: number | undefined): Asking {
  const { facts } = probe
  const to = timeOf(oldest[Math.min(endDocuments, oldest.length) - 1]?.['createdIn'])
  const canFilter = facts.scrollFilter.kind === 'honored' && to !== undefined
  if (!canFilter && !(whole !== undefined && whole < 2 * endDocuments)) return
  const where = canFilter ? filterOf('createdIn', { kind: 'up-to', to: iso(to) }) : undefined
  let answer = yield* openScroll(probe, { ...ids(probe), size: 3, ...(where !== undefined && { where }) })
  let token = tokenOf(probe, answer)
  for (
    let request = 2;
    answer.kind === 'documents' && token !== undefined && request < maxEndRequests;
    request++
  ) {
    answer = yield* continueScroll(probe, token)
    token = tokenOf(probe, answer) ?? token
  }
  facts.end = endFact(answer)
  if (facts.end.kind === 'unclear' || token === undefined) return
  facts.afterEnd = afterEndFact(yield* continueScroll(probe, token))
}

const timeOf = (value: unknown): number | undefined => {
  const microseconds = typeof value === 'string' ? epochMicroseconds(value) : undefined
  return microseconds === undefined ? undefined : Math.floor(microseconds / 1000)
}
const iso = (timeMs: number) => new Date(timeMs).toISOString()
const floorTo = (timeMs: number, unit: number) => Math.floor(timeMs / unit) * unit

interface Dated {
  readonly printed: string
  readonly timeMs: number
}

const datedOf = (field: string, documents: readonly Document[]): Dated[] =>
  documents.flatMap((document) => {
    const timeMs = timeOf(document[field])
    return timeMs === undefined ? [] : [{ printed: String(document[field]), timeMs }]
  })

/**
 * How coarse a platform indexes a date, by searches for one document's time and for that time without its smaller parts.
 * The latter find documents of later times only if the index lacks those parts.
 */
function* askIndex(probe: Probe, field: 'createdIn' | 'updatedIn', documents: readonly Document[]): Asking {
  const form = probe.facts[field]
  const dates = datedOf(field, documents)
  const partsOf = ({ timeMs }: Dated) => units.filter(({ ms, finerMs }) => timeMs % ms >= finerMs).length
  const chosen = dates.toSorted((a, b) => partsOf(b) - partsOf(a))[0]
  if (!chosen || form.kind !== 'dates') return
  const { timeMs, printed } = chosen
  const at = (time: string) => searchAt(probe, field, time)
  const isChosen = (found: Dated) => found.printed === printed
  const exact = { utc: printed, none: `${printed}Z`, offset: iso(timeMs) }[form.zone]
  // What is never printed cannot be told from what is not indexed.
  const base =
    units.findLast(({ ms }) => dates.every((date) => date.timeMs % ms === 0))?.unit ?? 'milliseconds'
  if ((yield* at(exact)).some(isChosen)) {
    let unit: (typeof units)[number]['unit'] | undefined = base
    for (const { unit: coarser, ms, finerMs } of units.slice(indexUnits.indexOf(base) + 1)) {
      if (timeMs % ms < finerMs) {
        unit = undefined
        continue
      }
      const cut = floorTo(timeMs, ms)
      if (!(yield* at(iso(cut))).some((found) => found.timeMs - cut >= finerMs)) break
      unit = coarser
    }
    probe.facts[`${field}Index`] = unit ? { kind: 'in-utc', unit } : unclear('round times')
    return
  }
  for (const [index, { unit, ms, finerMs }] of units.entries()) {
    const cut = floorTo(timeMs, ms)
    const found = yield* at(iso(cut))
    const times = found.map((date) => date.timeMs)
    const isSpread =
      Math.max(...times) - Math.min(...times) >= finerMs && times.every((time) => floorTo(time, ms) === cut)
    if (!found.some(isChosen) && !(isSpread && ms > 1)) continue
    const isRound = cut === floorTo(timeMs, units[index + 1]?.ms ?? 1)
    probe.facts[`${field}Index`] =
      isRound && ms < unitMs.days ? unclear('round times') : { kind: 'in-utc', unit }
    return
  }
  probe.facts[`${field}Index`] = yield* askShift(probe, field, chosen)
}

const units = indexUnits.map((unit, index) => ({
  unit,
  ms: unitMs[unit],
  finerMs: unitMs[indexUnits[index - 1] ?? unit],
}))

/** The documents that a search for a time finds, the latest first. */
function* searchAt(probe: Probe, field: string, time: string): Asking<Dated[]> {
  const request = { fields: field, where: `(${field} = ${time})`, sort: `${field} DESC`, count: 100 }
  return datedOf(field, documentsOf(yield* search(probe, request)))
}

function* askShift(probe: Probe, field: string, { timeMs, printed }: Dated): Asking<Facts['createdInIndex']> {
  const nearest = function* (where: string, direction: 'ASC' | 'DESC'): Asking<number | undefined> {
    const request = { fields: field, where, sort: `${field} ${direction}` }
    return timeOf(documentsOf(yield* search(probe, request))[0]?.[field])
  }
  const time = iso(timeMs)
  const before = yield* nearest(filterOf(field, { kind: 'up-to', to: time }), 'DESC')
  const after = yield* nearest(filterOf(field, { kind: 'from', from: time }), 'ASC')
  if (before === undefined || after === undefined) return unclear('no documents')
  const shift = shiftFact(timeMs, before, after)
  if (shift.kind !== 'shifted') return shift
  const found = yield* searchAt(probe, field, iso(timeMs - shift.minutes * minuteMs))
  return found.some((date) => date.printed === printed) ? shift : unclear('other documents')
}

const maxHalvings = 6
const maxReadings = 3

/** Whether the ranges before and after one time, and the documents without one, are the whole entity. */
function* askRanges(probe: Probe): Asking {
  const { facts, entity } = probe
  const by = entity.partitions?.by ?? 'createdIn'
  const count = function* (where?: string): Asking<number> {
    const answer = yield* search(probe, { ...ids(probe), ...(where !== undefined && { where }) })
    const total = readRangeTotal(headersOf(answer))
    if (total === undefined) throw new NoTotal(answer)
    return total
  }
  const edge = function* (direction: 'ASC' | 'DESC'): Asking<number | undefined> {
    const request = { fields: by, where: `(${by} is not null)`, sort: `${by} ${direction}` }
    return timeOf(documentsOf(yield* search(probe, request))[0]?.[by])
  }
  let [low, high] = [yield* edge('ASC'), yield* edge('DESC')]
  if (low === undefined || high === undefined) return
  try {
    const whole = yield* count()
    let boundary = iso(low)
    for (let halving = 0; halving < maxHalvings && high - low > 1; halving++) {
      const middle = Math.floor((low + high) / 2)
      boundary = iso(middle)
      const share = (yield* count(filterOf(by, { kind: 'up-to', to: boundary }))) / Math.max(1, whole)
      if (share > 0.25 && share < 0.75) break
      if (share <= 0.25) low = middle
      else high = middle
    }
    const readings: Reading[] = []
    let decision = decideCoverage(readings)
    while (decision.kind === 'read-again' && readings.length < maxReadings) {
      const wholeBefore = yield* count()
      const ranges: number[] = []
      for (const range of rangesBetween([boundary])) ranges.push(yield* count(filterOf(by, range)))
      const boundaries = [yield* count(filterOf(by, { kind: 'at', value: boundary }))]
      readings.push({ wholeBefore, ranges, boundaries, wholeAfter: yield* count() })
      decision = decideCoverage(readings)
    }
    if (decision.kind === 'read-again') facts.ranges = unclear('the total changes')
    else if (decision.kind === 'not-covered') facts.ranges = { kind: 'do-not-add-up', by }
    else {
      const kept = keptBoundaries([boundary], readings.at(-1)?.boundaries ?? [], whole)
      facts.ranges = { kind: kept.length > 0 ? 'add-up' : 'too-few-values', by }
    }
  } catch (error) {
    if (!(error instanceof NoTotal)) throw error
    facts.ranges = unclear(error.answer)
  }
}

class NoTotal extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super('A search reports no total.')
    this.answer = answer
  }
}

const agesMinutes = [5, 10, 19, 21]

/** Uses one token after each of these times, since a request may extend the life of its token. */
export function* askTokenLife(probe: Probe): Asking {
  const opened: Answer[] = []
  for (const _ of agesMinutes) opened.push(yield* openScroll(probe, { ...ids(probe), size: 1 }))
  const uses: { minutes: number; answer: Answer }[] = []
  for (const [index, minutes] of agesMinutes.entries()) {
    const token = opened[index] && tokenOf(probe, opened[index])
    if (token === undefined) return
    const waitMs = (minutes - (agesMinutes[index - 1] ?? 0)) * minuteMs
    const answer = yield* continueScroll(probe, token, waitMs)
    uses.push({ minutes, answer })
    if (answer.kind === 'refused') break
  }
  probe.facts.tokenLife = tokenLifeFact(uses)
}

export function* askWrongKey(probe: Probe): Asking {
  const answer = yield* search(probe, { ...ids(probe), credentials: 'wrong' })
  if (answer.kind === 'refused') probe.facts.wrongKey = answer
  else probe.facts.wrongKey = answer.kind === 'none' ? unclear(answer) : { kind: 'accepted' }
}
