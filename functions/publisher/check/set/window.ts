import type {
  ChainSnapshot,
  ChangesLatest,
  IncrementWindow,
} from '../../../../stored/changes/changes-latest.ts'
import type { EndedWindow, ProposedIncrement } from '../../../../stored/changes/proposal.ts'
import type { Proof } from '../../../../stored/run/proof.ts'
import { formatCount } from '../../../runtime/format-count.ts'
import { type AttemptItems, openingTotal } from '../attempt.ts'
import { Damaged } from '../damage.ts'
import { readEnd } from '../end.ts'
import { requestError, type SentQuery, sumOf } from '../ranges.ts'

/** What the deployment's settings say about an entity's increments. */
export interface IncrementRules {
  readonly query: SentQuery
  readonly idField: string
  readonly ignore: readonly string[]
  readonly lookbackMinutes: number
  readonly totals: 'check' | 'ignore'
  readonly totalTolerancePercent: number
}

export interface IncrementToCheck {
  readonly chain: ChangesLatest
  readonly snapshot: ChainSnapshot
  readonly proposal: ProposedIncrement
  readonly rules: IncrementRules
}

const secondMs = 1_000
const maxClockDifferenceMs = 5 * 60_000

/**
 * Checks that no change is between the last window and this one, and none after it: by the platform's clock, as it was
 * recorded with the first search. `startedAt`: when the run began by its id, in epoch milliseconds.
 */
export function checkWindow(increment: IncrementToCheck, startedAt: number): void {
  const { snapshot, proposal, rules } = increment
  const { clock } = proposal.evidence
  const last = increment.chain.window
  const date = 'status' in clock ? readDate(clock.details?.headers['date']) : Number.NaN
  const iso = (time: number) => new Date(time).toISOString()
  const wrong = (what: string) => new Damaged(`The window from ${proposal.from} to ${proposal.to} ${what}.`)
  // The header has whole seconds.
  if (!(Math.abs(clock.at - date) <= maxClockDifferenceMs + secondMs))
    throw wrong(`was chosen at ${iso(clock.at)}, more than 5 minutes from the platform's clock or without it`)
  if (clock.at < startedAt - maxClockDifferenceMs)
    throw wrong(`was chosen at ${iso(clock.at)}, before its run began`)
  const to = Date.parse(proposal.to)
  const lastTo = last ? Date.parse(last.to) : Number.NEGATIVE_INFINITY
  const latest = Math.max(date + secondMs, lastTo)
  if (!(to >= Math.max(Math.min(clock.at, date), lastTo) && to <= latest))
    throw wrong(`ends at another time than the platform's clock shows, which is ${iso(date)}`)
  const isFirst = last?.snapshot !== snapshot.runId
  const opened = Date.parse(snapshot.openedAt) - Math.max(0, clock.at - date)
  const begin = (isFirst ? opened : lastTo) - rules.lookbackMinutes * 60_000
  if (!(Date.parse(proposal.from) <= begin))
    throw wrong(`begins after ${iso(begin)}, so that changes may be missing`)
}

/** Several intermediaries may each repeat the header. A date has a comma after the day of the week. */
function readDate(text = ''): number {
  const times = text.split(/(?<!\b[A-Z][a-z]+),/).map((one) => Date.parse(one))
  const [time = Number.NaN, ...others] = new Set(times)
  return others.length === 0 ? time : Number.NaN
}

/** The window that the chain notes. */
export function notedWindow(
  { from, to }: Pick<IncrementWindow, 'from' | 'to'>,
  { last, snapshot }: { readonly last: IncrementWindow | undefined; readonly snapshot: string },
): IncrementWindow {
  const isNext = last?.snapshot === snapshot && last.coveredFrom < from
  return { snapshot, coveredFrom: isNext ? last.coveredFrom : from, from, to }
}

/** How the window's scroll is proven. Throws `Damaged` if it is not, or if it shows something else than was requested. */
export function proveWindow(increment: IncrementToCheck): Proof {
  const { snapshot, proposal, rules } = increment
  const scrolls = proposal.evidence.scrolls.map((scroll) => readScroll(scroll, increment))
  for (const [index, { openedAt }] of scrolls.entries())
    if (openedAt < (scrolls[index - 1]?.endedAt ?? 0))
      throw new Damaged(`Scroll ${index + 1} of the window began before the previous one had ended.`)
  const scroll = scrolls.pop()
  if (!scroll) throw new Damaged('The evidence of the increment has no scroll.')
  const { uniqueIds, idSum, total, suspect, end, largestPage } = scroll
  const isRepeated = scrolls.some(
    (earlier) => !earlier.suspect && earlier.uniqueIds === uniqueIds && earlier.idSum === idSum,
  )
  const found = `The platform reported ${total} documents of the window and ${formatCount(uniqueIds)} unique ones were received`
  const expected = rules.totals === 'ignore' ? uniqueIds : total
  if (typeof expected !== 'number') throw new Damaged(`${found}: without a total nothing is proven.`)
  if (expected > 1_000 && expected * 100 > 20 * snapshot.uniqueIds)
    throw new Damaged(`${found}, which are too many of the snapshot's ${formatCount(snapshot.uniqueIds)}.`)
  if (suspect) throw new Damaged(`${found}, and a page may be missing.`)
  if (rules.totals === 'ignore' && isRepeated) return 'no-total'
  if (rules.totals === 'ignore') throw new Damaged(`${found}, and no other scroll found the same ones.`)
  if (uniqueIds === expected && end === 'confirmed') return 'exact'
  const missing = expected - uniqueIds
  const isNear = missing < largestPage && Math.abs(missing) * 100 <= rules.totalTolerancePercent * expected
  if (isNear && isRepeated) return 'within-tolerance'
  throw new Damaged(`${found}, and nothing shows that these are all.`)
}

/** Reads what was recorded of a scroll. Nothing depends on an end before the total. */
function readScroll(scroll: EndedWindow, { proposal, rules }: IncrementToCheck) {
  const { pages, end, uniqueIds } = scroll
  const all = [...pages, end]
  const target = all[0]?.received?.request ?? ''
  const { entity, from, to } = proposal
  const where = `((updatedIn between ${from} AND ${to}) OR (createdIn between ${from} AND ${to}))`
  const error = requestError({ target, entity, query: rules.query, where })
  if (error !== undefined) throw new Damaged(`The window was scrolled with another request: ${error}.`)
  const gap = all.findIndex(({ page, received }, index) => page !== index + 1 || !received)
  if (gap !== -1) throw new Damaged(`Of the window's scroll, item ${gap + 1} is missing.`)
  const sizes = pages.map(({ documents }) => documents)
  if (sumOf(sizes) < uniqueIds)
    throw new Damaged(`The pages of the window have ${sumOf(sizes)} documents and ${uniqueIds} unique ids.`)
  const items = { pages, end } as AttemptItems
  const { total } = openingTotal(items)
  const largestPage = Math.max(0, ...sizes)
  const { end: ended, unknown } = readEnd({
    ...items,
    uniqueIds,
    total: rules.totals === 'check' ? total : undefined,
    isOfRange: false,
    largestPage,
    largestPages: sizes.filter((size) => size === largestPage).length,
    repeatsFirstPage: () => false,
  })
  const times = all.flatMap(({ received }) => received?.exchanges.map(({ at }) => at) ?? [])
  const [openedAt, endedAt] = [times[0] ?? 0, times.at(-1) ?? 0]
  const suspect = scroll.suspect || unknown.length > 0
  return { ...scroll, total, largestPage, end: ended, suspect, openedAt, endedAt }
}
