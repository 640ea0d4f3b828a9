import type { SetRow } from '../../contract/change-sets.ts'
import type { RunRow } from '../../contract/run-rows.ts'
import type { Mark, PlotData } from './plot-data.ts'
import { durationMs } from './run-facts.ts'
import { timeOfRunId } from './run-id.ts'

/** Runs that published nothing, as marks. */
const markTones = { refused: 'warning', failed: 'problem' } as const

/** Documents and durations of published runs (given newest first), and the change sets (given oldest first). */
export function entityPlots(runs: readonly RunRow[], sets: readonly SetRow[]): PlotData[] {
  const published = runs.filter(({ status }) => status === 'published').toReversed()
  const times = published.map(startSeconds)
  const documents = published.map((run) => run.documents)
  const seconds = published.map((run) => durationMs(run, run.startedAt) / 1000)
  const changes = sets.filter(({ kind }) => kind !== 'reset')
  const hasIncrements = changes.some(({ kind }) => kind === 'increment')
  const median = medianOf(seconds)
  return [
    {
      title: 'Documents',
      shape: 'lines',
      unit: 'count',
      axis: 'around-values',
      times,
      series: [{ label: 'Documents', color: '--accent', values: documents }],
      marks: marksOf(runs),
      reference: undefined,
    },
    {
      title: 'Duration',
      shape: 'lines',
      unit: 'duration',
      axis: 'from-zero',
      times,
      series: [{ label: 'Duration', color: '--accent', values: seconds }],
      marks: [],
      reference: median === undefined ? undefined : { label: 'median', value: median },
    },
    {
      title: 'Changes',
      shape: 'stacked-bars',
      unit: 'count',
      axis: 'from-zero',
      times: changes.map(({ runId }) => timeOfRunId(runId) / 1000),
      series: [
        { label: 'created', color: '--accent', values: changes.map(({ created }) => created) },
        { label: 'updated', color: '--updated', values: changes.map(({ updated }) => updated) },
        { label: 'deleted', color: '--problem', values: changes.map(({ deleted }) => deleted) },
        ...(hasIncrements
          ? [
              {
                label: 'delivered',
                color: '--warning' as const,
                values: changes.map(({ delivered }) => delivered),
              },
            ]
          : []),
      ],
      marks: [],
      reference: undefined,
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
