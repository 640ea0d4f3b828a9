import type { RunRow, SetRow } from '../../contract.ts'
import { formatDuration } from './format.ts'
import { type Axis, formatShort, type Series } from './plot.ts'
import { durationMs } from './run.ts'
import { timeOfRunId } from './run-id.ts'

/** Lines over time. */
export interface PlotData {
  readonly title: string
  /** Epoch seconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly axis: Axis
}

/** Documents and durations of published runs (given newest first), and the change sets (given oldest first). */
export function entityPlots(runs: readonly RunRow[], sets: readonly SetRow[]): PlotData[] {
  const published = runs.filter(({ status }) => status === 'published').toReversed()
  const times = published.map(({ startedAt }) => Date.parse(startedAt) / 1000)
  const documents = published.map((run) => run.documents)
  const seconds = published.map((run) => durationMs(run, run.startedAt) / 1000)
  const changes = sets.filter(({ kind }) => kind === 'changes')
  return [
    {
      title: 'Documents',
      axis: 'around-values',
      times,
      series: [{ label: 'Documents', color: '--accent', values: documents }],
      format: formatShort,
    },
    {
      title: 'Duration',
      axis: 'from-zero',
      times,
      series: [{ label: 'Duration', color: '--accent', values: seconds }],
      format: (value) => formatDuration(value * 1000),
    },
    {
      title: 'Changes',
      axis: 'from-zero',
      times: changes.map(({ runId }) => timeOfRunId(runId) / 1000),
      series: [
        { label: 'created', color: '--accent', values: changes.map(({ created }) => created) },
        { label: 'updated', color: '--warning', values: changes.map(({ updated }) => updated) },
        { label: 'deleted', color: '--problem', values: changes.map(({ deleted }) => deleted) },
      ],
      format: formatShort,
    },
  ]
}
