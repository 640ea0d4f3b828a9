import type { EntityRow } from '../../contract/overview.ts'
import type { RunRow } from '../../contract/run.ts'
import { formatCount } from './format.ts'
import { hasNotBegun } from './run-facts.ts'

const maxCards = 8

/** The runs that are shown as cards, scrolling ones first, and how many others there are. Many have no card until they begin. */
export function runsInProgress(entities: readonly EntityRow[]) {
  const runs = entities.flatMap(({ running }) => running ?? [])
  const isWaiting = (run: RunRow) => isForSlot(run) || (runs.length > maxCards && hasNotBegun(run))
  const [waiting, active] = [runs.filter(isWaiting), runs.filter((run) => !isWaiting(run))]
  const ordered = active.toSorted((one, other) => orderOf(one) - orderOf(other))
  const more = ordered.length - maxCards
  return {
    cards: ordered.slice(0, maxCards),
    lines: [
      ...(more > 0 ? [`${formatCount(more)} more ${more === 1 ? 'is' : 'are'} in progress`] : []),
      ...(waiting.length > 0
        ? [`${formatCount(waiting.length)} ${waiting.length === 1 ? 'waits' : 'wait'} for a slot`]
        : []),
    ],
  }
}

const isForSlot = ({ status, wait }: RunRow) => status === 'waiting' && wait?.for === 'slot'
const orderOf = (run: RunRow) => (run.status === 'waiting' || hasNotBegun(run) ? 1 : 0)
