import type { ChainSnapshot, IncrementWindow } from '../../../stored/changes/changes-latest.ts'
import { minuteMs } from '../../runtime/durations.ts'
import { failWith } from './end.ts'

/** The clocks at the beginning of an increment, in epoch milliseconds. */
export interface Clocks {
  readonly own: number
  /** From the Date header of a response of the platform; undefined if it has none. */
  readonly platform: number | undefined
}

export interface WindowFacts {
  readonly snapshot: Pick<ChainSnapshot, 'runId' | 'openedAt'>
  /** The last successful window; undefined before the first. */
  readonly last: IncrementWindow | undefined
  readonly lookbackMinutes: number
  readonly clocks: Clocks
}

const secondMs = 1_000
/** Further apart, neither clock can be trusted. */
const maxDifferenceMs = 5 * minuteMs

/**
 * The window of an increment. It begins where the last one ended, less the lookback, so that a failed increment skips
 * nothing; after a full set it begins at the chain's snapshot. No end moves back. Throws `Stopped` without a safe clock.
 */
export function decideWindow(facts: WindowFacts): IncrementWindow {
  const { snapshot, last, lookbackMinutes, clocks } = facts
  const { own, platform } = clocks
  if (platform === undefined)
    throw failWith("The platform's responses have no Date header, so no window can be chosen.")
  if (Math.abs(own - platform) > maxDifferenceMs)
    throw failWith(
      `The platform's clock (${iso(platform)}) and the clock of AWS (${iso(own)}) differ by more than 5 minutes.`,
    )
  const isFirst = last?.snapshot !== snapshot.runId
  const end = ceilToSecond(Math.min(own, platform))
  // Documents have dates by the platform's clock. The worker that opened the snapshot may have had one that was ahead.
  const openedAt = Math.min(Date.parse(snapshot.openedAt) - Math.max(0, own - platform), end)
  const begin = isFirst ? openedAt : Date.parse(last.to)
  const from = floorToSecond(begin - lookbackMinutes * minuteMs)
  const to = last ? Math.max(end, Date.parse(last.to)) : end
  const coveredFrom = isFirst ? text(from) : earlier(last.coveredFrom, text(from))
  return { snapshot: snapshot.runId, coveredFrom, from: text(from), to: text(to) }
}

const iso = (time: number) => new Date(time).toISOString()
const floorToSecond = (time: number) => Math.floor(time / secondMs) * secondMs
const ceilToSecond = (time: number) => Math.ceil(time / secondMs) * secondMs
/** ISO 8601 in whole seconds. */
const text = (time: number) => iso(time).replace('.000Z', 'Z')
const earlier = (one: string, other: string) => (one < other ? one : other)

/** The documents of a window in the syntax of the platform's `_where`. `updatedIn` is null until the first update. */
export const windowFilter = ({ from, to }: Pick<IncrementWindow, 'from' | 'to'>): string =>
  `((updatedIn between ${from} AND ${to}) OR (createdIn between ${from} AND ${to}))`
