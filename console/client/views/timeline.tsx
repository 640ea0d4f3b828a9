import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { TimelineLane, TimelineResponse } from '../../contract/timeline.ts'
import { NameFilter } from '../components/name-filter.tsx'
import { Pending } from '../components/notice.tsx'
import { fittingLabels } from '../model/fitting-labels.ts'
import { formatAxisTimes, formatShortTime } from '../model/format.ts'
import { outagesOf, outageTexts } from '../model/outages.ts'
import { momentAfterKey } from '../model/plot-shape.ts'
import { links, periodNames, type TimelineHours, timelinePeriods } from '../model/route.ts'
import { timeTicks } from '../model/scale.ts'
import {
  barAt,
  barsOf,
  barText,
  laneSize,
  laneText,
  matchingLanes,
  type Period,
  pathsOf,
  periodOf,
  placeOfTime,
  timelineIntervalMs,
  timelineReader,
} from '../model/timeline-bars.ts'
import { getJson, withQuery } from '../request.ts'
import { usePoll } from '../use-request.ts'
import { useWidth } from '../use-width.ts'

const title = 'Timeline'

const readTimeline = (path: string) => timelineReader(path, getJson<TimelineResponse>)

/** The runs of all entities, one lane for each. */
export function Timeline({ hours }: { hours: TimelineHours }) {
  const path = withQuery('/timeline', { hours: String(hours) })
  const { data, error } = usePoll(path, timelineIntervalMs, readTimeline)
  const [name, setName] = useState('')
  const [onlyProblems, setOnlyProblems] = useState(false)
  const showDetails = useRef((_text: string) => {})
  if (!data) return <Pending title={title} error={error} />
  const period = periodOf(data.now, hours)
  const lanes = matchingLanes([...data.lanes.values()], { name, onlyProblems })
  return (
    <>
      <h1>{title}</h1>
      <div class="section-head">
        <nav class="tabs" aria-label="Period">
          {timelinePeriods.map((count) => (
            <a key={count} href={links.timeline(count)} aria-current={count === hours ? 'page' : undefined}>
              {periodNames[count]}
            </a>
          ))}
        </nav>
        <div class="actions">
          <label>
            <input
              type="checkbox"
              checked={onlyProblems}
              onChange={({ currentTarget }) => setOnlyProblems(currentTarget.checked)}
            />{' '}
            Only entities with refused or failed runs
          </label>
          <NameFilter value={name} onChange={setName} />
        </div>
      </div>
      <Outages texts={outageTexts(lanes, period.from)} />
      <div class="timeline">
        <Head period={period} showDetails={showDetails} />
        <ul class="lanes">
          {lanes.map((lane) => (
            <Lane
              key={lane.entity}
              lane={lane}
              next={data.next[lane.entity]}
              period={period}
              now={data.now}
              onSelect={(text) => showDetails.current(text)}
            />
          ))}
        </ul>
        {lanes.length === 0 && <p class="empty">No entity matches this filter.</p>}
        <Legend />
      </div>
      <p class="facts">
        The width of a bar is the duration of a run; its height compares that duration with the entity's
        median. In a lane, the arrow keys select a run or another lane, and Enter opens the run.
      </p>
    </>
  )
}

/** What a person looks for in a night: when runs failed one after another. */
const Outages = ({ texts }: { texts: readonly string[] }) =>
  texts.length === 0 ? null : (
    <ul class="story" aria-label="Outages">
      {texts.map((text) => (
        <li key={text} class="problem">
          {text}
        </li>
      ))}
    </ul>
  )

const Legend = () => (
  <p class="legend timeline-legend">
    {[
      ['good', 'published'],
      ['active', 'in progress'],
      ['problem', 'refused or failed'],
      ['neutral', 'cancelled'],
      ['outage', 'failed one after another'],
      ['next', 'next run'],
    ].map(([sample, text]) => (
      <span key={text}>
        <i class={sample} /> {text}
      </span>
    ))}
  </p>
)

/** The axis, and details of the selected run. It stays in view, and no lane is drawn again when they change. */
function Head({ period, showDetails }: { period: Period; showDetails: { current: (text: string) => void } }) {
  const [details, setDetails] = useState('')
  showDetails.current = setDetails
  const [axis, width] = useWidth()
  useLayoutEffect(() => {
    if (axis.current) showFitting(axis.current)
  }, [period.from, period.to, width])
  const range = [period.from / 1000, period.to / 1000] as const
  const times = timeTicks(range, 6)
  const texts = formatAxisTimes(times, range)
  return (
    <div class="timeline-head">
      <p class="readout" role="status">
        {details}
      </p>
      <div ref={axis} class="timeline-axis" aria-hidden="true">
        {times.map((time, index) => (
          <span key={time} style={leftOf(period, time * 1000)}>
            {texts[index]}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Their widths depend on the fonts of the reader, so they are measured. */
function showFitting(axis: HTMLElement) {
  const labels = [...axis.querySelectorAll('span')]
  for (const label of labels) label.hidden = false
  const extents = labels.map((label) => label.getBoundingClientRect())
  const fits = fittingLabels(extents, axis.getBoundingClientRect())
  for (const [index, label] of labels.entries()) label.hidden = !fits[index]
}

interface LaneProps {
  readonly lane: TimelineLane
  /** When its schedule starts the next run; undefined without one. */
  readonly next: string | undefined
  readonly period: Period
  readonly now: string
  readonly onSelect: (text: string) => void
}

function Lane({ lane, next, period, now, onSelect }: LaneProps) {
  const { entity } = lane
  const [selected, setSelected] = useState<number>()
  const bars = barsOf(lane, period, now)
  const bar = selected === undefined ? undefined : bars[selected]
  const select = (index: number | undefined) => {
    setSelected(index)
    const next = index === undefined ? undefined : bars[index]
    onSelect(next ? barText(entity, next.run, now) : '')
  }
  return (
    <li class="lane">
      <a href={links.entity(entity)} class="lane-name">
        {entity}
      </a>
      <div
        class="lane-bars"
        // Screen readers pass the arrow keys on.
        role="application"
        aria-label={laneText(lane, next)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys select a run
        tabIndex={0}
        onMouseMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          const index = barAt(bars, (clientX - left) / width)
          if (index !== selected) select(index)
        }}
        onMouseLeave={() => select(undefined)}
        onBlur={() => select(undefined)}
        onKeyDown={(event) => {
          const index = momentAfterKey(event.key, selected, bars.length)
          if (index !== undefined) select(index)
          else if (event.key === 'Enter' && bar) location.hash = links.run(entity, bar.run.runId)
          else if (!focusNeighbor(event.currentTarget, event.key)) return
          event.preventDefault()
        }}
      >
        {outagesOf(lane).map(
          ({ from, to, runs }) =>
            runs > 1 && (
              <i
                key={from}
                class="outage"
                style={{ ...leftOf(period, from), right: percent(1 - placeOfTime(period, to)) }}
              />
            ),
        )}
        <i class="now" style={leftOf(period, Date.parse(now))} />
        {next !== undefined && (
          <i
            class="next"
            title={`Next run at ${formatShortTime(next)}`}
            style={leftOf(period, Date.parse(next))}
          />
        )}
        <svg
          viewBox={`0 0 ${laneSize.width} ${laneSize.height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {pathsOf(bars).map(([tone, path]) => (
            <path key={tone} class={tone} d={path} />
          ))}
        </svg>
        {bar && (
          <a
            href={links.run(entity, bar.run.runId)}
            tabIndex={-1}
            class="selected-bar"
            style={{ left: percent(bar.x), width: percent(bar.width) }}
          >
            <span class="visually-hidden">{barText(entity, bar.run, now)}</span>
          </a>
        )}
      </div>
    </li>
  )
}

const percent = (share: number) => `${share * 100}%`
const leftOf = (period: Period, time: number) => ({ left: percent(placeOfTime(period, time)) })

/** Moves the focus to the lane above or below. */
function focusNeighbor(element: HTMLElement, key: string): boolean {
  const sibling = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return false
  const neighbor = element.parentElement?.[sibling[key]]
  const bars = neighbor?.querySelector<HTMLElement>('.lane-bars')
  bars?.focus()
  return bars !== undefined && bars !== null
}
