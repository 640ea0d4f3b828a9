import { writeChunk } from './chunk/write-chunk.ts'
import { commitTable } from './commit/commit-table.ts'
import type { TableContext, TableSettings } from './context.ts'
import { TableFailed } from './failure.ts'
import { planTable } from './plan/plan-table.ts'
import type { TableResult } from './result.ts'

/** Each further round means that another commit came first. */
const maxRounds = 5

/** Makes the table of the published snapshot in one invocation, chunk after chunk. */
export async function makeTable(context: TableContext, settings: TableSettings): Promise<TableResult> {
  for (let round = 1; round <= maxRounds; round++) {
    const plan = await planTable(context, settings)
    if (plan.status !== 'planned') return plan
    const names: string[] = []
    for (const chunk of plan.chunks) names.push(await writeChunk(context, plan, chunk))
    const result = await commitTable(context, settings, { plan, names })
    if (result.status !== 'outdated') return result
  }
  throw new TableFailed(
    'Other commits of the entity kept taking effect first. The next publication makes the table.',
  )
}
