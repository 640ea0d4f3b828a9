import { formatCount } from './format.ts'

export interface Series {
  readonly label: string
  /** A custom property of the style sheet. */
  readonly color: `--${string}`
  /** Null where it has no value. */
  readonly values: readonly (number | null)[]
}

/** Where the vertical axis begins: at zero, or near the smallest value so that small changes are seen. */
export type Axis = 'from-zero' | 'around-values'

/** The range of the vertical axis for the smallest and the largest value. */
export const verticalRanges: Readonly<Record<Axis, (min: number, max: number) => [number, number]>> = {
  'from-zero': (min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.05],
  'around-values': (min, max) => {
    const margin = Math.max(1, (max - min) * 0.1)
    return [Math.max(0, min - margin), max + margin]
  },
}

/** Around a single point. */
const padSeconds = 3_600

/** The range of the horizontal axis. */
export function timeRange(min: number, max: number): [number, number] {
  return max > min ? [min, max] : [min - padSeconds, max + padSeconds]
}

/** `Documents. Documents: 95 to 97`, for screen readers. */
export function plotSummary(
  title: string,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) return `${label}: no data`
    return `${label}: ${format(first)} to ${format(last)}`
  })
  return `${title}. ${parts.join('; ')}`
}

/** `1.2M`, to fit next to an axis. */
export function formatShort(value: number): string {
  if (value < 10_000) return formatCount(Math.round(value * 10) / 10)
  return value < 1_000_000 ? `${Math.round(value / 1000)}K` : `${(value / 1_000_000).toFixed(1)}M`
}
