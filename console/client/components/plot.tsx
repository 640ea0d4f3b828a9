import { useState } from 'preact/hooks'
import { momentText, type PlotData, plotSummary, unitFormats } from '../model/plot-data.ts'
import { closestMoment, momentAfterKey, type PlotShape, plotShape } from '../model/plot-shape.ts'
import { useWidth } from '../use-width.ts'

const height = 180

/** Values over time. The height is fixed, so that nothing moves when the data arrive. Arrow keys select a moment. */
export function Plot(plot: PlotData) {
  const { title, times, marks } = plot
  const isEmpty = times.length === 0 && marks.length === 0
  return (
    <figure class="plot">
      <figcaption>
        <span class="plot-title">{title}</span>
        <Legend plot={plot} />
      </figcaption>
      {isEmpty ? <p class="plot-area empty">No data yet.</p> : <Drawing plot={plot} />}
    </figure>
  )
}

const Legend = ({ plot: { reference, unit, marks } }: { plot: PlotData }) => (
  <span class="legend">
    {reference && (
      <span>
        {reference.label} {unitFormats[unit](reference.value)}
      </span>
    )}
    {[...new Map(marks.map((mark) => [mark.text, mark])).values()].map(({ text, tone }) => (
      <span key={text} class={tone}>
        <i class={`mark ${tone}`} /> {text}
      </span>
    ))}
  </span>
)

function Drawing({ plot }: { plot: PlotData }) {
  const [element, width] = useWidth()
  const [selected, setSelected] = useState<number>()
  const shape = plotShape(plot, { width, height })
  const moment = selected === undefined ? undefined : shape.moments[selected]
  return (
    <div
      ref={element}
      class="plot-area"
      role="img"
      // Details of a moment are read with the keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys select a moment
      tabIndex={0}
      aria-label={plotSummary(plot)}
      onMouseMove={(event) => {
        const { left } = event.currentTarget.getBoundingClientRect()
        setSelected(closestMoment(shape, event.clientX - left))
      }}
      onMouseLeave={() => setSelected(undefined)}
      onBlur={() => setSelected(undefined)}
      onKeyDown={(event) => {
        const next = momentAfterKey(event.key, selected, shape.moments.length)
        if (next === undefined) return
        event.preventDefault()
        setSelected(next)
      }}
    >
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" height={height} aria-hidden="true">
        <Axes shape={shape} />
        {shape.reference !== undefined && (
          <line
            class="reference"
            x1={shape.left}
            x2={shape.right}
            y1={shape.reference}
            y2={shape.reference}
          />
        )}
        <Values shape={shape} />
        {moment && <line class="cursor" x1={moment.x} x2={moment.x} y1={0} y2={shape.bottom} />}
      </svg>
      <p class="readout" role="status">
        {moment && momentText(plot, moment.time)}
      </p>
    </div>
  )
}

const Axes = ({ shape: { left, right, bottom, xTicks, yTicks } }: { shape: PlotShape }) => (
  <g class="axes">
    {yTicks.map(({ at, text }) => (
      <g key={text}>
        <line x1={left} x2={right} y1={at} y2={at} />
        <text x={left - 6} y={at + 4} text-anchor="end">
          {text}
        </text>
      </g>
    ))}
    {xTicks.map(({ at, text }) => (
      <text key={at} x={at} y={bottom + 18} text-anchor="middle">
        {text}
      </text>
    ))}
  </g>
)

const Values = ({ shape: { points, marks, bottom } }: { shape: PlotShape }) => (
  <>
    <g class="plot-line">
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      {points.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="2.5" />
      ))}
    </g>
    {marks.map(({ x, tone, time }) => (
      <g key={time} class={`plot-mark ${tone}`}>
        <line x1={x} x2={x} y1={0} y2={bottom} />
        <path d={`M${x - 4},${bottom} h8 l-4,-8 z`} />
      </g>
    ))}
  </>
)
