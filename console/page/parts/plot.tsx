import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { formatAxisTimes } from '../model/format.ts'

export interface Series {
  readonly label: string
  /** A custom property of the style sheet. */
  readonly color: `--${string}`
  /** Null where it has no value. */
  readonly values: readonly (number | null)[]
}

export interface PlotProps {
  readonly title: string
  /** Epoch seconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Where the vertical axis begins: at zero, or near the smallest value so that small changes are seen. */
  readonly axis: 'from-zero' | 'around-values'
}

const height = 180
/** Around a single point. */
const padSeconds = 3_600

/** Lines over time. The height is fixed, so that nothing moves when the data arrive. */
export function Plot({ title, times, series, format, axis }: PlotProps) {
  const container = useRef<HTMLDivElement>(null)
  const key = JSON.stringify([times, series])

  useEffect(() => {
    const element = container.current
    if (!element || times.length === 0) return
    const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
    let plot = new uPlot(optionsOf({ series, format, axis }, element), data, element)
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => {
      plot.destroy()
      plot = new uPlot(optionsOf({ series, format, axis }, element), data, element)
    }
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [key])

  return (
    <figure class="plot">
      <figcaption>
        <span class="plot-title">{title}</span>
        {series.length > 1 && (
          <span class="legend">
            {series.map(({ label, color }) => (
              <span key={label}>
                <i style={{ background: `var(${color})` }} /> {label}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <div ref={container} class="plot-area" role="img" aria-label={summaryOf({ title, series, format })}>
        {times.length === 0 && <p class="empty">No data yet.</p>}
      </div>
    </figure>
  )
}

const ranges: Readonly<Record<PlotProps['axis'], (min: number, max: number) => [number, number]>> = {
  'from-zero': (min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.05],
  'around-values': (min, max) => {
    const margin = Math.max(1, (max - min) * 0.1)
    return [Math.max(0, min - margin), max + margin]
  },
}

type Shown = Pick<PlotProps, 'series' | 'format' | 'axis'>

function optionsOf({ series, format, axis }: Shown, element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const colorOf = (property: string) => style.getPropertyValue(property)
  const line = {
    stroke: colorOf('--muted'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    axes: [
      { ...line, size: 28, values: (_, times) => formatAxisTimes(times) },
      { ...line, size: 64, values: (_, values) => values.map(format) },
    ],
    scales: {
      x: { range: (_, min, max) => (max > min ? [min, max] : [min - padSeconds, max + padSeconds]) },
      y: { range: (_, min, max) => ranges[axis](min, max) },
    },
    series: [
      {},
      ...series.map(({ label, color }) => ({
        label,
        stroke: colorOf(color),
        width: 2,
        spanGaps: true,
        points: { size: 5 },
      })),
    ],
  }
}

/** `Documents: 95 to 97` */
function summaryOf({ title, series, format }: Pick<PlotProps, 'title' | 'series' | 'format'>): string {
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) return `${label}: no data`
    return `${label}: ${format(first)} to ${format(last)}`
  })
  return `${title}. ${parts.join('; ')}`
}
