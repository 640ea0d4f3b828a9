import type { RunRow, SetRow } from '../../contract.ts'
import { formatDuration } from '../model/format.ts'
import { formatShort } from '../model/plot.ts'
import { durationMs } from '../model/run.ts'
import { timeOfRunId } from '../model/run-id.ts'
import { Plot } from '../parts/plot.tsx'

/** Documents, duration and changes of the loaded runs over time. */
export function EntityPlots({ runs, sets }: { runs: readonly RunRow[]; sets: readonly SetRow[] }) {
  const published = runs.filter(({ status }) => status === 'published').toReversed()
  const times = published.map(({ startedAt }) => Date.parse(startedAt) / 1000)
  const changes = sets.filter(({ kind }) => kind === 'changes')
  const changeLines = [
    { label: 'created', color: '--accent', values: changes.map(({ created }) => created) },
    { label: 'updated', color: '--warning', values: changes.map(({ updated }) => updated) },
    { label: 'deleted', color: '--problem', values: changes.map(({ deleted }) => deleted) },
  ] as const
  return (
    <div class="plots">
      <Plot
        title="Documents"
        axis="around-values"
        times={times}
        series={[
          { label: 'Documents', color: '--accent', values: published.map(({ documents }) => documents) },
        ]}
        format={formatShort}
      />
      <Plot
        title="Duration"
        axis="from-zero"
        times={times}
        series={[
          {
            label: 'Duration',
            color: '--accent',
            values: published.map((run) => durationMs(run, run.startedAt) / 1000),
          },
        ]}
        format={(seconds) => formatDuration(seconds * 1000)}
      />
      <Plot
        title="Changes"
        axis="from-zero"
        times={changes.map(({ runId }) => timeOfRunId(runId) / 1000)}
        series={changeLines}
        format={formatShort}
      />
    </div>
  )
}
