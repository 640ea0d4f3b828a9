import type { EntityFacts } from '../../functions/problems/facts.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { SchemaReport } from '../../functions/tables/schema-report/schema-report.ts'
import { openStores } from '../aws/stores.ts'
import type { ReportFact } from './facts.ts'

const maxConcurrentReads = 8

/** What the schema reports of the published snapshots say that the doctor shows. */
export async function readReports(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<readonly ReportFact[]> {
  const { tables } = openStores(bucket)
  const facts = await mapPooled(entities, maxConcurrentReads, async ({ settings, state }) => {
    if (!settings.schemaReport || !state.latest) return []
    const report = await tables.readReport<SchemaReport>(settings.name, state.latest.runId)
    return report ? [{ entity: settings.name, loneSurrogates: report.loneSurrogates ?? 0 }] : []
  })
  return facts.flat()
}
