import type { RangeState } from './range.ts'
import type { Split } from './split.ts'

/** In the order in which they are opened; none before they are planned. */
export function rangesOf(split: Split): readonly RangeState[] {
  if (split.kind === 'unplanned') return []
  return split.kind === 'ranges' ? split.ranges : [split.range]
}

/** What belongs to each range, in the order of their values: the range without a value, which is opened first, comes last. */
export function byValue<T>([first, ...others]: readonly T[]): T[] {
  return first === undefined ? others : [...others, first]
}
