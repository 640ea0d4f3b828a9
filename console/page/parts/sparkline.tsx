import { formatCount } from '../model/format.ts'

const width = 96
const height = 24
const margin = 3

/** A small line without axes. Its label gives the first and the last value. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const first = values[0]
  const last = values.at(-1)
  if (first === undefined || last === undefined || values.length < 2) return <span class="sparkline" />
  const min = Math.min(...values)
  const range = Math.max(...values) - min || 1
  const points = values.map((value, index) => {
    const x = margin + (index / (values.length - 1)) * (width - 2 * margin)
    const y = height - margin - ((value - min) / range) * (height - 2 * margin)
    return [x.toFixed(1), y.toFixed(1)] as const
  })
  const [endX, endY] = points.at(-1) ?? ['0', '0']
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: from ${formatCount(first)} to ${formatCount(last)}`}
    >
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      <circle cx={endX} cy={endY} r="2" />
    </svg>
  )
}
