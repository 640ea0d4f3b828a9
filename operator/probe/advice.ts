import type { FactName, Facts } from './report.ts'

/** What to write into the configuration of an entity, and the facts that decide it. */
export type Setting<Value> =
  | { readonly kind: 'set'; readonly value: Value; readonly because: readonly FactName[] }
  | { readonly kind: 'leave-out' | 'unknown'; readonly because: readonly FactName[] }

export interface Advice {
  readonly totals: Setting<'check' | 'ignore'>
  readonly pageSize: Setting<number>
  readonly partitions: Setting<{ readonly by: string; readonly count: number }>
  readonly increments: Setting<{ readonly lookbackMinutes: number }>
}

export const adviceOf = (facts: Facts): Advice => ({
  totals: totalsOf(facts),
  pageSize: pageSizeOf(facts),
  partitions: partitionsOf(facts),
  increments: incrementsOf(facts),
})

function totalsOf({ scrollTotal, totalCheck }: Facts): Advice['totals'] {
  const because = ['scrollTotal', 'totalCheck'] as const
  if (['missing', 'malformed'].includes(scrollTotal.kind))
    return { kind: 'set', value: 'ignore', because: ['scrollTotal'] }
  if (totalCheck.kind === 'agrees') return { kind: 'set', value: 'check', because }
  const isWrong = totalCheck.kind === 'too-low' || totalCheck.kind === 'differs'
  return isWrong ? { kind: 'set', value: 'ignore', because } : { kind: 'unknown', because }
}

const maxPageSize = 1000

function pageSizeOf({ pageSize }: Facts): Advice['pageSize'] {
  const because = ['pageSize'] as const
  switch (pageSize.kind) {
    case 'capped':
      return { kind: 'set', value: pageSize.at, because }
    case 'times-out':
      return { kind: 'set', value: pageSize.above, because }
    case 'multiplied':
      return {
        kind: 'set',
        value: Math.max(1, Math.min(maxPageSize, Math.floor(maxPageSize / pageSize.by))),
        because,
      }
    case 'honored':
    case 'ignored':
      return { kind: 'leave-out', because }
    case 'refused':
    case 'unclear':
    case 'not-tried':
      return { kind: 'unknown', because }
  }
}

/** A run sends several dozen searches before it scrolls in ranges. */
const minDocuments = 50_000
const count = 8

function partitionsOf(facts: Facts): Advice['partitions'] {
  const { ranges, searchTotal } = facts
  const isLarge = searchTotal.kind === 'reported' && searchTotal.documents >= minDocuments
  const decided = decide(facts, {
    ranges: ['add-up'],
    scrollFilter: ['honored'],
    totalCheck: ['agrees'],
    searchTotal: isLarge ? ['reported'] : [],
  })
  const by = 'by' in ranges ? ranges.by : ''
  return decided.kind === 'usable' ? { kind: 'set', value: { by, count }, because: decided.because } : decided
}

/** A window begins this long before the end of the last one, which must be longer than what the index rounds off. */
const lookbackMinutes = { milliseconds: 60, seconds: 60, minutes: 60, hours: 120, days: 1_440 } as const

function incrementsOf(facts: Facts): Advice['increments'] {
  const decided = decide(facts, {
    createdIn: ['dates'],
    updatedIn: ['dates'],
    scrollFilter: ['honored'],
    createdInIndex: ['in-utc'],
    updatedInIndex: ['in-utc'],
    clock: ['agrees'],
  })
  if (decided.kind !== 'usable') return decided
  const minutes = [facts.createdInIndex, facts.updatedInIndex].map((index) =>
    index.kind === 'in-utc' ? lookbackMinutes[index.unit] : 0,
  )
  return { kind: 'set', value: { lookbackMinutes: Math.max(...minutes) }, because: decided.because }
}

type Wanted = Partial<Readonly<Record<FactName, readonly string[]>>>

/** One fact that rules a setting out decides. All must be known to recommend it. */
function decide(facts: Facts, wanted: Wanted) {
  const names = Object.keys(wanted) as FactName[]
  // Documents that were never updated may get the date.
  const isOpen = (name: FactName) =>
    ['not-tried', 'unclear'].includes(facts[name].kind) ||
    (name === 'updatedIn' && facts[name].kind === 'null')
  const against = names.filter((name) => !isOpen(name) && !wanted[name]?.includes(facts[name].kind))
  if (against.length > 0) return { kind: 'leave-out', because: against } as const
  const open = names.filter(isOpen)
  return open.length > 0
    ? ({ kind: 'unknown', because: open } as const)
    : ({ kind: 'usable', because: names } as const)
}
