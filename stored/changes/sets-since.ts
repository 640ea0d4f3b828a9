import type { ChangesLatest, SetSummary } from './changes-latest.ts'

/** The sets that lead from the state of a run to the tip; undefined if the chain does not lead there from it. */
export function setsSince(chain: ChangesLatest, since: string): readonly SetSummary[] | undefined {
  if (since === chain.tip) return []
  const first = chain.sets.findIndex(({ base }) => base === since)
  return first < 0 ? undefined : chain.sets.slice(first)
}
