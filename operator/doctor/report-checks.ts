import type { EntityFacts } from '../../functions/problems/facts.ts'
import { plural } from '../../functions/runtime/format.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { SchemaReport } from '../../stored/schema-report/schema-report.ts'
import { absentIfUnreadable } from '../../stored/unreadable-object.ts'
import { openStores } from '../aws/stores.ts'
import type { ReportFact } from './facts.ts'
import { type Checked, note } from './finding.ts'

export const reportChecks = (facts: readonly ReportFact[]): Checked[] =>
  facts.flatMap(({ entity, loneSurrogates }) => {
    if (loneSurrogates === 0) return []
    const text = `${entity}: ${plural(loneSurrogates, 'document')} in the published snapshot ${loneSurrogates === 1 ? 'contains' : 'contain'} half of a surrogate pair, such as a text that was cut in the middle of an emoji. DuckDB, pandas and other readers refuse JSON with it.`
    const fix =
      'read it as docs/reading-snapshots.md shows, which also lists these documents, or correct them on the platform'
    return [note('entities', text, fix)]
  })

const maxConcurrentReads = 8

/** What the schema reports of the published snapshots say that the doctor shows. */
export async function readReports(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<readonly ReportFact[]> {
  const { tables } = openStores(bucket)
  const facts = await mapPooled(entities, maxConcurrentReads, async ({ settings, state }) => {
    if (!settings.schemaReport || !state.latest) return []
    const report = await tables
      .readReport<SchemaReport>(settings.name, state.latest.runId)
      .catch(absentIfUnreadable)
    return report ? [{ entity: settings.name, loneSurrogates: report.loneSurrogates ?? 0 }] : []
  })
  return facts.flat()
}
