import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type LiveFile, manifestList } from '../../../stored/iceberg/manifests.ts'
import type { NewTable, StoredMetadata, TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { icebergSummary, nextSnapshot, runIn, withCommit } from '../../../stored/iceberg/metadata.ts'
import { tableColumns } from '../../../stored/iceberg/table-schema.ts'
import type { Stored } from '../../../stored/objects.aws.ts'
import { keptRuns } from '../../../stored/snapshots/kept-runs.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { maxQueryMs } from '../../../stored/tables/query-time.ts'
import type { DroppedRun, TableLatest } from '../../../stored/tables/table.ts'
import { glueAfterCommit, manifestListKey, metadataKey, tablePrefix } from '../../../stored/tables/table.ts'
import { hourMs } from '../../runtime/durations.ts'
import { formatCount } from '../../runtime/format.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import { pick } from '../../runtime/pick.ts'
import { TaskFailed } from '../../task/run.ts'
import type { ChunkResult } from '../chunk/write-chunk.ts'
import type { TableContext, TableSettings } from '../context.ts'
import { cleanUpTable, finishTable } from '../finish-table.ts'
import { chunkResultKey, type PlanName, planKey, type StoredPlan, type TableFormat } from '../plan/plan.ts'
import { planFormat } from '../plan/plan-table.ts'
import type { TableResult } from '../result.ts'
import { fileTotals, readBack, replacedFiles, writeDeleted } from './read-back.ts'
import { publishReport } from './schema-report.ts'

/** Later the clean-up may have begun to delete what the chunks wrote. */
const maxPlanAgeMs = 12 * hourMs

/** Publishes what the chunks of a plan have written. It can be repeated and can run twice at the same time. */
export async function commitTable(
  context: TableContext,
  settings: TableSettings,
  { plan: name, names }: { plan: PlanName; names: readonly string[] },
): Promise<TableResult> {
  const { entity, runId } = name
  const outdated = { status: 'outdated', entity, runId } as const
  const plan = await context.tables.readJson<StoredPlan>(planKey(name))
  if (!plan || context.now() - Date.parse(plan.plannedAt) > maxPlanAgeMs) return outdated
  if (!settings.schemaReport || (plan.format === null) !== (settings.columns === undefined)) return outdated
  const results = await readResults(context, plan, names)
  const rows = results.reduce((sum, one) => sum + one.rows, 0)
  if (rows !== plan.rows)
    throw new TaskFailed(
      `The table would have ${formatCount(rows)} rows; the snapshot has ${formatCount(plan.rows)} unique ids.`,
    )
  await publishReport(context, { entity, runId }, results)
  if (plan.format === null) {
    await cleanUpTable(context, entity)
    return { status: 'published', entity, runId, rows, rejected: {}, metadata: null }
  }
  const read = await context.tables.readLatest(entity)
  if (read && read.value.runId >= runId) {
    const finished = await finishTable(context, settings, read)
    return finished.runId === runId
      ? published(entity, finished)
      : { status: 'up-to-date', entity, runId: finished.runId }
  }
  const written = { plan: { ...plan, format: plan.format }, results }
  const table = await writeTable(context, settings, { ...written, read })
  if (!table || !(await readBack(context, settings, { ...written, table, before: read?.value.runId })))
    return outdated
  if (!(await context.tables.writeLatest(entity, table, read ?? 'absent'))) return outdated
  const latest = await context.tables.readLatest(entity)
  return published(entity, latest ? await finishTable(context, settings, latest) : table)
}

const published = (entity: string, table: TableLatest): TableResult => ({
  status: 'published',
  entity,
  ...pick(table, 'runId', 'rows', 'rejected', 'metadata'),
})

interface WrittenChunks {
  readonly plan: StoredPlan & { readonly format: TableFormat }
  readonly results: readonly ChunkResult[]
  readonly read: Stored<TableLatest> | undefined
}

/** Stores the metadata of the table. Returns the new content of `latest.json`; undefined if the plan is outdated. */
async function writeTable(
  context: TableContext,
  settings: TableSettings,
  { plan, results, read }: WrittenChunks,
): Promise<TableLatest | undefined> {
  const { name: entity, columns = [] } = settings
  const { tables, now, uniqueName } = context
  const { runId, format } = plan
  const current = await planFormat(context, { columns, plan: plan.plan, table: read?.value })
  if (!isDeepStrictEqual(current, format)) return undefined
  const metadata = read && (await tables.readJson<TableMetadata>(read.value.metadata))
  const { snapshotId, schema, lastColumnId } = format
  const unique = uniqueName()
  const replaced = await replacedFiles(tables, metadata)
  const next = nextSnapshot(metadata)
  const added = { kind: 'added', files: 1, minSequenceNumber: next.sequenceNumber } as const
  const manifests = [
    ...results.flatMap(({ file, rows }) => (file ? [{ ...file.manifest, ...added, rows }] : [])),
    ...(await writeDeleted(tables, { entity, runId, format, unique }, replaced)),
  ]
  const list = manifestListKey(entity, runId, unique)
  await tables.writeFile(list, manifestList({ snapshotId, ...next }, manifests))
  const rejected = sumRejected(results)
  const commit = {
    snapshotId,
    manifestList: tables.addressOf(list),
    summary: summary(context, { plan, results, replaced, rejected }),
    schema,
    lastColumnId,
    now: now(),
  }
  const previous: StoredMetadata | NewTable =
    read && metadata
      ? { metadata, address: tables.addressOf(read.value.metadata) }
      : { uuid: uuidOf(plan.plan), location: tables.addressOf(tablePrefix(entity).slice(0, -1)) }
  const committed = withCommit(previous, commit, await retention(context, settings, { metadata, runId }))
  const key = metadataKey(entity, { version: next.sequenceNumber, runId, unique })
  await tables.writeJson(key, committed)
  return {
    runId,
    metadata: key,
    rows: plan.rows,
    columns: tableColumns(format.columns),
    rejected,
    committedAt: new Date(now()).toISOString(),
    announced: false,
    ...glueAfterCommit(read?.value),
    dropped: dropsAfter({ before: metadata, after: committed }, read?.value.dropped ?? [], now()),
  }
}

interface Summarized extends Pick<WrittenChunks, 'plan' | 'results'>, Pick<TableLatest, 'rejected'> {
  readonly replaced: readonly LiveFile[]
}

function summary({ tables }: TableContext, { plan, results, replaced, rejected }: Summarized) {
  const { entity, runId, rows, proof } = plan
  const files = results.flatMap(({ file }) => file ?? [])
  return icebergSummary({
    runId,
    proof,
    manifest: tables.addressOf(manifestKey(entity, runId)),
    added: { files: files.length, rows, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) },
    deleted: fileTotals(replaced),
    rejected,
  })
}

/** Which Iceberg snapshots stay: those whose snapshot `keepSnapshots` keeps, and the one that is replaced. */
async function retention(
  { snapshots }: TableContext,
  { name: entity, keepSnapshots }: TableSettings,
  { metadata, runId }: { metadata: TableMetadata | undefined; runId: string },
): Promise<(run: string) => boolean> {
  const runs = (metadata?.snapshots ?? []).map(runIn)
  const kept = keptRuns([...runs, runId], keepSnapshots)
  const stored = new Set(await Array.fromAsync(snapshots.listRuns(entity)))
  return (run) => run === runs.at(-1) || (kept.has(run) && stored.has(run))
}

/** In the form of a random UUID (RFC 9562, version 4), from the plan's own random name. */
function uuidOf(plan: string): string {
  const digest = hash('sha256', plan, 'hex')
  const variant = ((Number.parseInt(digest[16] ?? '0', 16) & 3) | 8).toString(16)
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, `$1-$2-4$3-${variant}$4-$5`)
}

/** The runs that were dropped within the last day, those of this commit included. */
function dropsAfter(
  { before, after }: { readonly before: TableMetadata | undefined; readonly after: TableMetadata },
  dropped: readonly DroppedRun[],
  now: number,
): readonly DroppedRun[] {
  const kept = new Set(after.snapshots.map(runIn))
  const gone = new Set((before?.snapshots ?? []).map(runIn).filter((run) => !kept.has(run)))
  const at = new Date(now).toISOString()
  // A query that began before the drop may still be running.
  const recent = dropped.filter((one) => Date.parse(one.at) >= now - maxQueryMs)
  return [...recent, ...[...gone].map((runId) => ({ runId, at }))]
}

const maxReads = 20

/** The results of all chunks of a plan, in their order. `names` are what the chunks returned. */
async function readResults(
  { tables }: Pick<TableContext, 'tables'>,
  plan: StoredPlan,
  names: readonly string[],
): Promise<readonly ChunkResult[]> {
  const results = await mapPooled(names, maxReads, async (name) => {
    const result = await tables.readJson<ChunkResult>(chunkResultKey(plan, name))
    if (!result) throw new TaskFailed(`The stored result of the chunk ${name} is missing.`)
    return result
  })
  const sorted = results.toSorted((one, other) => one.chunk - other.chunk)
  if (sorted.length !== plan.chunks || sorted.some(({ chunk }, index) => chunk !== index))
    throw new TaskFailed(
      `The table needs ${plan.chunks} chunks, but only these were written: ${names.join(', ')}.`,
    )
  return sorted
}

/** The sum of what the chunks counted for each column. */
function sumRejected(results: readonly ChunkResult[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const { rejected } of results)
    for (const [name, count] of Object.entries(rejected)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries(sums)
}
