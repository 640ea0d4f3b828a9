import type { EntityRow } from '../../contract/overview.ts'
import type { RunRow } from '../../contract/run-rows.ts'
import { formatCount } from './format.ts'

const maxCards = 8

/** The runs that are shown as cards, and how many more there are: those that scroll come first. */
export function runsInProgress(entities: readonly EntityRow[]) {
  const runs = entities.flatMap(({ running }) => running ?? [])
  const [waiting, active] = [runs.filter(isForSlot), runs.filter((run) => !isForSlot(run))]
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
const orderOf = ({ status }: RunRow) => (status === 'waiting' ? 1 : 0)
