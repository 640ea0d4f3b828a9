import type { RunRow } from '../../contract/run.ts'
import type { Mark, PlotData } from './plot-data.ts'
import { durationMs } from './run-facts.ts'

/** Runs that published nothing, as marks. */
const markTones = { refused: 'warning', failed: 'problem' } as const

/** Documents and durations of published runs, given newest first. */
export function entityPlots(runs: readonly RunRow[]): PlotData[] {
  const published = runs.filter(({ status }) => status === 'published').toReversed()
  const times = published.map(startSeconds)
  const seconds = published.map((run) => durationMs(run, run.startedAt) / 1000)
  const median = medianOf(seconds)
  return [
    {
      title: 'Documents',
      unit: 'count',
      times,
      values: published.map((run) => run.documents),
      marks: marksOf(runs),
      reference: undefined,
    },
    {
      title: 'Duration',
      unit: 'duration',
      times,
      values: seconds,
      marks: [],
      reference: median === undefined ? undefined : { label: 'median', value: median },
    },
  ]
}

const startSeconds = ({ startedAt }: RunRow) => Date.parse(startedAt) / 1000

function marksOf(runs: readonly RunRow[]): Mark[] {
  return runs.toReversed().flatMap((run) => {
    const { status } = run
    if (status !== 'refused' && status !== 'failed') return []
    return { time: startSeconds(run), text: status, tone: markTones[status] }
  })
}

/** Undefined without values. */
export function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) return undefined
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
