import { PageLines } from '../../stored/documents/stored-lines.ts'
import type { SchemaReport } from '../../stored/schema-report/schema-report.ts'
import { isDocumentMap, mergeReports, SchemaReportBuilder } from '../../stored/schema-report/schema-report.ts'
import { objectReader, openStores } from '../aws/objects.aws.ts'
import type { Operation } from '../operation.ts'
import { intactLines, objectsOfPages } from '../snapshot/checked-objects.ts'
import { requirePublished } from '../snapshot/published.ts'

export interface FoundReport {
  readonly report: SchemaReport
  readonly idField: string
  /** Whether it was stored with the snapshot, or the snapshot was read for it. */
  readonly source: 'report' | 'snapshot'
}

/** The schema report of the published snapshot. Throws `CommandError` without one, and `DamagedData`. */
export async function readReport(
  { deployment, target, reporter, signal }: Operation,
  entity: string,
): Promise<FoundReport> {
  const { manifest } = await requirePublished(deployment, entity, target)
  const { runId, pages, idField, documents } = manifest
  const stored = await openStores(deployment.bucket).tables.readReport<SchemaReport>(entity, runId)
  if (stored && !isDocumentMap(stored)) return { report: stored, idField, source: 'report' }
  const progress = reporter.progress('Reading')
  const builder = new SchemaReportBuilder()
  const read = objectReader(deployment.bucket, signal)
  const show = (done: number) => progress.show(done, documents)
  for await (const text of intactLines(objectsOfPages(pages), read, show)) {
    const lines = new PageLines(text, Buffer.from(idField))
    while (lines.next()) builder.add(text.subarray(lines.start, lines.end))
  }
  progress.end()
  return { report: mergeReports([builder.finish()], { entity, runId }), idField, source: 'snapshot' }
}
