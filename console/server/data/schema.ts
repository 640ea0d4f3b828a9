import { configuredEntity } from '../../../functions/http/result.ts'
import { schemaChangesText } from '../../../functions/problems/schema-changes.ts'
import { hasProblem, type ReadTable, readTable, tableText } from '../../../functions/problems/table-state.ts'
import { tableQueries } from '../../../operator/tables/queries.ts'
import type { SchemaReport } from '../../../stored/schema-report/schema-report.ts'
import { rejectedOf } from '../../../stored/tables/table.ts'
import type { EntityView } from '../../../stored/views.ts'
import type { ReportedFieldRow, SchemaResponse, TableRow } from '../../contract/schema.ts'
import type { ConsoleContext } from '../context.ts'

/** The fields of an entity's documents, and the state of its table. */
export async function readSchema(context: ConsoleContext, name: string): Promise<SchemaResponse> {
  const { deployment, syncs, tables, command } = context
  const { columns, schemaReport } = configuredEntity(deployment.configuration.entities, name)
  const { snapshot, runs } = await syncs.read(name)
  const now = deployment.now()
  const [report, changes, table] = await Promise.all([
    schemaReport && snapshot ? tables.readReport<SchemaReport>(name, snapshot.runId) : undefined,
    schemaReport ? readChanges(tables, name, runs) : [],
    columns ? readTable(tables, name, { snapshot, now }) : undefined,
  ])
  return {
    table: table ? await tableRow(context, name, table) : null,
    report: report ? reportRow(report) : null,
    changes,
    columnsCommand: command(`columns ${name}`),
    now: new Date(now).toISOString(),
  }
}

const maxChangedRuns = 10

/** How the fields changed with the last published runs, newest first. What retention has deleted is not known. */
async function readChanges(
  tables: ConsoleContext['tables'],
  entity: string,
  runs: EntityView['runs'],
): Promise<SchemaResponse['changes']> {
  const published = runs.filter(({ status }) => status === 'published').slice(0, maxChangedRuns)
  const found = await Promise.all(
    published.map(async ({ runId, endedAt }) => {
      const stored = await tables.readSchemaChanges(entity, runId)
      return stored && endedAt !== null ? [{ runId, endedAt, text: schemaChangesText(stored) }] : []
    }),
  )
  return found.flat()
}

async function tableRow(
  { deployment, tables, target }: ConsoleContext,
  entity: string,
  { latest, state }: ReadTable,
): Promise<TableRow> {
  const row = { state: state.kind, problem: hasProblem(state) ? tableText(state) : null }
  if (!latest) return { ...row, published: null, history: [], queries: [] }
  const { runId, rows, committedAt, columns } = latest
  const metadata = await tables.readJson<Metadata>(latest.metadata)
  return {
    ...row,
    published: {
      runId,
      rows,
      committedAt,
      columns: Object.entries(columns).map(([name, { type, hash }]) => ({
        name,
        type: hash ? `${type} (${hash})` : type,
        rejected: rejectedOf(latest, name),
      })),
    },
    history: (metadata?.snapshots ?? []).map(publication).toReversed(),
    queries: tableQueries(deployment, { entity, latest }, target()),
  }
}

/** What is read of the table's Iceberg metadata. */
interface Metadata {
  readonly snapshots?: readonly {
    readonly 'timestamp-ms': number
    readonly summary: Readonly<Record<string, string>>
  }[]
}

function publication({ 'timestamp-ms': time, summary }: NonNullable<Metadata['snapshots']>[number]) {
  const rejected = Object.entries(summary).filter(([name]) => name.startsWith('longshore.rejected.'))
  return {
    runId: summary['longshore.run-id'] ?? '',
    committedAt: new Date(time).toISOString(),
    rows: Number(summary['total-records'] ?? 0),
    rejected: rejected.reduce((sum, [, count]) => sum + Number(count), 0),
  }
}

function reportRow({ runId, documents, truncated, fields }: SchemaReport) {
  const rows = fields.map(({ path, present, null: nulls, types, timestamps }): ReportedFieldRow => {
    const seen = Object.entries(types).flatMap(([type, count]) => (count > 0 ? [{ type, count }] : []))
    return { path, present, nulls, types: seen, timestamps }
  })
  return { runId, documents, truncated, fields: rows }
}
