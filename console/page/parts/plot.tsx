import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { PlotData } from '../model/entity-plots.ts'
import { formatAxisTimes } from '../model/format.ts'
import { plotSummary, timeRange, verticalRanges } from '../model/plot.ts'

const height = 180

/** Lines over time. The height is fixed, so that nothing moves when the data arrive. */
export function Plot({ title, times, series, format, axis }: PlotData) {
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
      <div ref={container} class="plot-area" role="img" aria-label={plotSummary(title, series, format)}>
        {times.length === 0 && <p class="empty">No data yet.</p>}
      </div>
    </figure>
  )
}

type Shown = Pick<PlotData, 'series' | 'format' | 'axis'>

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
      x: { range: (_, min, max) => timeRange(min, max) },
      y: { range: (_, min, max) => verticalRanges[axis](min, max) },
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
