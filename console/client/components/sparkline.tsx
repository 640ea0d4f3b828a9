import { height, sparklineOf, width } from '../model/sparkline-shape.ts'

/** A small line without axes. Its label gives the first and the last value. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const line = sparklineOf(values)
  if (!line) return <span class="sparkline" />
  const { points, end, text } = line
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: ${text}`}
    >
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      <circle cx={end[0]} cy={end[1]} r="2" />
    </svg>
  )
}
