import type { TimelineLane, TimelineResponse, TimelineRun } from '../../contract/timeline.ts'
import { formatCount, formatDuration, formatShortTime, plural } from './format.ts'
import { medianOf } from './plotted-runs.ts'
import type { TimelineHours } from './route.ts'
import { durationMs } from './run-facts.ts'
import { statusTones, type Tone } from './tones.ts'

export interface TimelineState {
  readonly lanes: ReadonlyMap<string, TimelineLane>
  readonly next: TimelineResponse['next']
  readonly revision: number
  readonly now: string
}

const hourMs = 3_600_000

/** Reads the timeline: all lanes in the order of the configuration, and then only those that have changed. */
export function timelineReader(
  timelinePath: string,
  get: (path: string, signal?: AbortSignal) => Promise<TimelineResponse>,
): (signal?: AbortSignal) => Promise<TimelineState> {
  let known: TimelineState | undefined
  return async (signal) => {
    const { entities, lanes, ...more } = await get(`${timelinePath}&after=${known?.revision ?? 0}`, signal)
    const changed = new Map(lanes.map((lane) => [lane.entity, lane]))
    const merged = entities.map((entity) => {
      const lane = changed.get(entity) ?? known?.lanes.get(entity) ?? { entity, runs: [] }
      return [entity, lane] as const
    })
    known = { ...more, lanes: new Map(merged) }
    return known
  }
}

/** Epoch milliseconds. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** The last hours, and the next ones for what schedules start. */
export function periodOf(now: string, hours: TimelineHours): Period {
  const time = Date.parse(now)
  return { from: time - hours * hourMs, to: time + (hours * hourMs) / hoursPerHourAhead }
}

const hoursPerHourAhead = 6

/** Where a time is, as a share of the width. */
export const placeOfTime = ({ from, to }: Period, time: number) => (time - from) / (to - from)

/** A run in its lane, in shares of the width and the height. */
export interface Bar {
  readonly run: TimelineRun
  readonly x: number
  readonly width: number
  readonly height: number
  readonly tone: Tone
}

const minWidth = 0.003
const heights = { min: 0.25, median: 0.55 } as const

/** The bars of a lane. The median run has about half the height; one that published nothing has all of it. */
export function barsOf({ runs }: TimelineLane, period: Period, now: string): Bar[] {
  const { from, to } = period
  const published = runs.filter(({ status }) => status === 'published')
  const median = medianOf(published.map((run) => durationMs(run, now))) || 1
  return runs.flatMap((run) => {
    const start = Math.max(from, Date.parse(run.startedAt))
    const duration = durationMs(run, now)
    const end = Math.min(to, Date.parse(run.startedAt) + duration)
    if (end < from) return []
    const width = Math.max(minWidth, (end - start) / (to - from))
    const x = Math.min(1 - width, placeOfTime(period, start))
    const relative = Math.max(heights.min, Math.min(1, (heights.median * duration) / median))
    return { run, x, width, height: run.status === 'published' ? relative : 1, tone: statusTones[run.status] }
  })
}

/** The coordinates of a lane's SVG, which is stretched to its width. */
export const laneSize = { width: 1000, height: 24 } as const

/** One path for each tone, since thousands of elements would scroll slowly. */
export function pathsOf(bars: readonly Bar[]): (readonly [tone: Tone, path: string])[] {
  const { width, height } = laneSize
  const groups = Map.groupBy(bars, ({ tone }) => tone)
  return [...groups].map(([tone, group]) => {
    const rectangles = group.map((bar) => {
      const [x, w, h] = [bar.x * width, bar.width * width, bar.height * height].map(round)
      return `M${x} ${height}h${w}v-${h}h-${w}z`
    })
    return [tone, rectangles.join('')] as const
  })
}

const round = (value: number) => Math.round(value * 10) / 10

const maxDistance = 0.01

/** The index of the bar at a position, or else of the closest one. */
export function barAt(bars: readonly Bar[], position: number): number | undefined {
  const distances = bars.map(({ x, width }) => Math.max(x - position, position - x - width, 0))
  const closest = Math.min(...distances)
  return closest <= maxDistance ? distances.lastIndexOf(closest) : undefined
}

/** `CL · published · Nov 21, 12:00:00, took 5 min · 95 documents` */
export function barText(entity: string, run: TimelineRun, now: string): string {
  const took = formatDuration(durationMs(run, now))
  const length = run.endedAt === null ? `for ${took}` : `took ${took}`
  const documents = run.documents === null ? [] : [plural(run.documents, 'document')]
  return [entity, run.status, `${formatShortTime(run.startedAt)}, ${length}`, ...documents].join(' · ')
}

/** `CL: 5 runs, 4 published, 1 failed`, for screen readers. */
export function laneText({ entity, runs }: TimelineLane, next?: string): string {
  const counts = Map.groupBy(runs, ({ status }) => status)
  const parts = [...counts].map(([status, { length }]) => `${formatCount(length)} ${status}`)
  const ahead = next === undefined ? [] : [`next run at ${formatShortTime(next)}`]
  return `${entity}: ${[plural(runs.length, 'run'), ...parts, ...ahead].join(', ')}`
}

/** Lanes whose name contains the filter, and that have a run that published nothing if only these are wanted. */
export function matchingLanes(
  lanes: readonly TimelineLane[],
  { name, onlyProblems }: { readonly name: string; readonly onlyProblems: boolean },
): TimelineLane[] {
  const wanted = name.trim().toLowerCase()
  const hasProblem = ({ runs }: TimelineLane) => runs.some(({ status }) => statusTones[status] === 'problem')
  return lanes.filter(
    (lane) => lane.entity.toLowerCase().includes(wanted) && (!onlyProblems || hasProblem(lane)),
  )
}

const runningMs = 2_000
const idleMs = 10_000

export function timelineIntervalMs(state: TimelineState | undefined): number {
  const isRunning = [...(state?.lanes.values() ?? [])].some(({ runs }) => runs.at(-1)?.endedAt === null)
  return isRunning ? runningMs : idleMs
}
