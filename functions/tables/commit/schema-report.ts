import { mergeReports } from '../../documents/fields/schema-report.ts'
import type { ChunkResult } from '../chunk/chunk-result.ts'
import type { TableContext } from '../context.ts'

interface ReportedRun {
  readonly entity: string
  readonly runId: string
}

export const hasReport = async ({ tables }: Pick<TableContext, 'tables'>, { entity, runId }: ReportedRun) =>
  (await tables.readReport(entity, runId)) !== undefined

/** Stores the schema report of a run, unless it has one. */
export async function publishReport(
  { tables }: Pick<TableContext, 'tables'>,
  run: ReportedRun,
  results: readonly Pick<ChunkResult, 'report'>[],
): Promise<void> {
  if (await hasReport({ tables }, run)) return
  const parts = results.map((one) => one.report)
  await tables.writeReport(mergeReports(parts, run))
}
