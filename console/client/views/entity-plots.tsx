import type { SetRow } from '../../contract/change-sets.ts'
import type { RunRow } from '../../contract/run-rows.ts'
import { Plot } from '../components/plot.tsx'
import { entityPlots } from '../model/plotted-runs.ts'

/** Documents, duration and changes of the loaded runs over time. */
export const EntityPlots = ({ runs, sets }: { runs: readonly RunRow[]; sets: readonly SetRow[] }) => (
  <div class="plots">
    {entityPlots(runs, sets).map((plot) => (
      <Plot key={plot.title} {...plot} />
    ))}
  </div>
)
