import { formatCount } from './format.ts'

export const width = 96
export const height = 24
const margin = 3

/** A line through values for an SVG of this size, and its text. Undefined for fewer than two values. */
export function sparklineOf(values: readonly number[]) {
  const min = Math.min(...values)
  const range = Math.max(...values) - min || 1
  const points = values.map((value, index) => {
    const x = margin + (index / (values.length - 1)) * (width - 2 * margin)
    const y = height - margin - ((value - min) / range) * (height - 2 * margin)
    return [Math.round(x * 10) / 10, Math.round(y * 10) / 10] as const
  })
  const end = points.at(-1)
  if (!end || values.length < 2) return undefined
  return { points, end, text: `from ${formatCount(values[0] ?? 0)} to ${formatCount(values.at(-1) ?? 0)}` }
}
