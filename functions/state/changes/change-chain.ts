import { dayMs } from '../../runtime/durations.ts'
import { deliveredKeysOf } from './chain-facts.ts'
import type { Retention } from './chain-moves.ts'
import { changesPrefix, runIdTime } from './change-keys.ts'
import type { ChangesLatest, SetSummary } from './changes-latest.ts'

/** Objects are kept longer than their entry in the list, so that links that were just issued keep working. */
const graceDays = 1

const maxFailures = 3

/** Whether comparisons from the tip have failed so often and for so long that the chain starts again. */
export function keepsFailing({ failures }: ChangesLatest): boolean {
  if (!failures) return false
  return failures.count >= maxFailures && Date.parse(failures.last) - Date.parse(failures.first) >= dayMs
}

/** The sets that lead from the state of a run to the tip; undefined if the chain does not lead there from it. */
export function setsSince(chain: ChangesLatest, since: string): readonly SetSummary[] | undefined {
  if (since === chain.tip) return []
  const first = chain.sets.findIndex(({ base }) => base === since)
  return first < 0 ? undefined : chain.sets.slice(first)
}

/** The objects of sets that have expired and of comparisons that were not published. What the tip needs never expires. */
export function expiredObjects(
  entity: string,
  keys: readonly string[],
  { chain, keepDays, now }: Retention & { readonly chain: ChangesLatest },
): string[] {
  const oldest = runIdTime(now - (keepDays + graceDays) * dayMs)
  const listed = new Set(chain.sets.map(({ runId }) => runId))
  const prefix = changesPrefix(entity)
  return keys.filter((key) => {
    const [run = '', name] = key.slice(prefix.length).split('/')
    if (deliveredKeysOf(chain).includes(key)) return false
    return name !== undefined && run < chain.tip && run < oldest && !listed.has(run)
  })
}
