import { countsOf, type SetCounts } from '../../stored/changes/chain-facts.ts'
import type { SetSummary } from '../../stored/changes/changes-latest.ts'

export function totalsOf(sets: readonly SetSummary[]): SetCounts {
  const sum = (key: keyof SetCounts) => sets.reduce((total, set) => total + countsOf(set)[key], 0)
  return {
    created: sum('created'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    delivered: sum('delivered'),
  }
}
