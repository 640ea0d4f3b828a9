import { sendEvent } from '../../../stored/events.ts'
import { changesBetween, typesOf } from '../../../stored/schema-report/report-changes.ts'
import type { SchemaReport } from '../../../stored/schema-report/schema-report.ts'
import { isDocumentMap, mergeReports } from '../../../stored/schema-report/schema-report.ts'
import { schemaReportKey } from '../../../stored/snapshots/manifest.ts'
import type { ChunkResult } from '../chunk/write-chunk.ts'
import type { TableContext } from '../context.ts'

type ReportedRun = Pick<SchemaReport, 'entity' | 'runId'>

/**
 * Stores the schema report of a run. Before, it sends the event and stores what changed if the report differs from the one
 * before it: a run that has a report has sent its event.
 */
export async function publishReport(
  context: Pick<TableContext, 'tables' | 'snapshots' | 'publishEvent' | 'log'>,
  run: ReportedRun,
  results: readonly Pick<ChunkResult, 'report'>[],
): Promise<void> {
  if (await context.tables.readReport(run.entity, run.runId)) return
  const reports = results.map((one) => one.report)
  const report = mergeReports(reports, run)
  const before = await reportBefore(context, run)
  const changes = before && changesBetween(before, report)
  if (changes) {
    const changed = { ...run, ...changes }
    const detail = { ...changed, report: schemaReportKey(run.entity, run.runId) }
    await sendEvent(context, { type: 'Schema Changed', detail })
    const types = typesOf(changes.retyped, before, report)
    await context.tables.writeSchemaChanges({ version: 1, ...changed, types })
  }
  await context.tables.writeReport(report)
}

/** The report of the newest earlier snapshot that has one to compare with. */
async function reportBefore(
  { tables, snapshots }: Pick<TableContext, 'tables' | 'snapshots'>,
  { entity, runId }: ReportedRun,
): Promise<SchemaReport | undefined> {
  const runs = await Array.fromAsync(snapshots.listRuns(entity))
  for (const run of runs.filter((one) => one < runId).toReversed()) {
    const report = await tables.readReport<SchemaReport>(entity, run)
    if (report && !isDocumentMap(report)) return report
  }
  return undefined
}
