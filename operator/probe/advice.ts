import type { FactName, ProbeFacts } from './facts.ts'

/** What to write into the configuration of an entity, and the facts that decide it. */
export type Setting<Value> =
  | { readonly kind: 'set'; readonly value: Value; readonly because: readonly FactName[] }
  | { readonly kind: 'leave-out' | 'not-known'; readonly because: readonly FactName[] }

export interface Advice {
  readonly totals: Setting<'check' | 'ignore'>
  readonly pageSize: Setting<number>
  readonly partitions: Setting<{ readonly by: string; readonly count: number }>
  readonly increments: Setting<{ readonly lookbackMinutes: number }>
}

const maxPageSize = 1000
/** A run sends several dozen searches before it scrolls in ranges. */
const minDocuments = 50_000
/** A window begins this long before the end of the last one: longer than what the index rounds off. */
const lookbacks: Readonly<Record<string, number>> = { hours: 120, days: 1_440 }
const usualLookback = 60
const dates = ['utc', 'offset']
/** Among them dates without a zone: one behind UTC cannot be told from UTC. */
const notKnown = ['not-tried', 'unclear', 'local']
const units = ['milliseconds', 'seconds', 'minutes', 'hours', 'days']

export function adviceOf(facts: ProbeFacts): Advice {
  const { searchTotal, scrollTotal, totalCheck, pageSize } = facts
  const isSmall = searchTotal.kind === 'reported' && searchTotal.documents < minDocuments
  const hasNoTotal = scrollTotal.kind === 'missing' || scrollTotal.kind === 'malformed'
  const [searched, scrolled] = [searchTotal, scrollTotal].map(
    (total) => 'documents' in total && total.documents,
  )
  // Equal totals that are wrong are capped. The others may differ by the default of `totalTolerancePercent`.
  const off = searched && scrolled && searched !== scrolled ? Math.abs(1 - scrolled / searched) : 1
  const isOff = ['too-low', 'wrong'].includes(totalCheck.kind) && off > 0.01
  const totals = hasNoTotal || isOff ? 'ignore' : 'check'
  const indexes = [facts.createdInIndex.kind, facts.updatedInIndex.kind]
  const lookbackMinutes = Math.max(...indexes.map((unit) => lookbacks[unit] ?? usualLookback))
  const largest =
    'documents' in pageSize ? pageSize.documents : 'by' in pageSize ? maxPageSize / pageSize.by : 1
  return {
    totals: hasNoTotal
      ? { kind: 'set', value: totals, because: ['scrollTotal'] }
      : decide(facts, totals, { totalCheck: ['right', 'too-low', 'wrong'] }),
    pageSize:
      pageSize.kind === 'honored' && pageSize.documents < maxPageSize
        ? { kind: 'not-known', because: ['pageSize'] }
        : decide(facts, Math.floor(Math.min(maxPageSize, largest)), {
            pageSize: ['capped', 'times-out', 'multiplied'],
          }),
    partitions: decide(
      facts,
      { by: 'createdIn', count: 8 },
      {
        ranges: ['add-up'],
        scrollFilter: ['honored'],
        totalCheck: ['right'],
        searchTotal: isSmall ? [] : ['reported'],
      },
    ),
    increments: decide(
      facts,
      { lookbackMinutes },
      {
        createdIn: dates,
        // Documents that were never updated may get the date.
        updatedIn: [...dates, 'null'],
        scrollFilter: ['honored'],
        createdInIndex: units,
        updatedInIndex: units,
        clock: ['agrees'],
      },
    ),
  }
}

/** One fact that is known and not wanted rules a setting out. All must be known to recommend it. */
function decide<Value>(
  facts: ProbeFacts,
  value: Value,
  wanted: Readonly<Partial<Record<FactName, readonly string[]>>>,
): Setting<Value> {
  const names = Object.keys(wanted) as FactName[]
  const open = names.filter((name) => notKnown.includes(facts[name].kind))
  const against = names.filter((name) => !open.includes(name) && !wanted[name]?.includes(facts[name].kind))
  if (against.length > 0) return { kind: 'leave-out', because: against }
  return open.length > 0 ? { kind: 'not-known', because: open } : { kind: 'set', value, because: names }
}
