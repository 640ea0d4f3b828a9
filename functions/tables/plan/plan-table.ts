import { createHash } from 'node:crypto'
import { supersededIn } from '../../../stored/chain/superseded.ts'
import { dropFromGlue } from '../../../stored/glue/follow-glue.ts'
import { schemaOf, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { assignFieldIds } from '../../../stored/iceberg/table-schema.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey, tablePrefix } from '../../../stored/tables/table.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import { pick } from '../../runtime/pick.ts'
import type { Column } from '../../runtime/settings-schema/columns.ts'
import { TaskFailed } from '../../task/run.ts'
import { pagesOfFiles } from '../check/page-documents.ts'
import type { TableContext, TableSettings } from '../context.ts'
import { finishTable } from '../finish-table.ts'
import type { TableResult } from '../result.ts'
import { planChunks } from './chunks.ts'
import type { ChunkPlan, PlanName, StoredPlan, TableFormat } from './plan.ts'
import { chunkKey, planKey } from './plan.ts'

const maxWrites = 20

/** Plans the table of the published snapshot, in chunks that can be written at the same time. */
export async function planTable(context: TableContext, settings: TableSettings): Promise<TableResult> {
  const { name: entity, columns, schemaReport } = settings
  if (!columns) await removeTable(context, settings)
  if (!columns && !schemaReport) return { status: 'off', entity }
  const runId = (await context.snapshots.readLatest(entity))?.value.runId
  if (runId === undefined) return { status: 'up-to-date', entity, runId: null }
  const table = columns && (await context.tables.readLatest(entity))
  if (table && table.value.runId >= runId) {
    await finishTable(context, settings, table)
    return { status: 'up-to-date', entity, runId: table.value.runId }
  }
  if (!columns && (await context.tables.readReport(entity, runId)))
    return { status: 'up-to-date', entity, runId }
  const manifest = await context.snapshots.readManifest(entity, runId)
  if (!manifest) throw new Error(`The manifest of the published snapshot ${runId} is missing.`)
  const plan = { entity, runId, plan: context.uniqueName() }
  const format = columns ? await planFormat(context, { columns, plan: plan.plan, table: table?.value }) : null
  const chunks = await storeChunks(context, { manifest, plan, format })
  const stored: StoredPlan = {
    ...plan,
    plannedAt: new Date(context.now()).toISOString(),
    chunks,
    rows: manifest.uniqueIds,
    proof: manifest.proof,
    format,
  }
  await context.tables.writeJson(planKey(plan), stored)
  return { status: 'planned', ...plan, chunks: [...Array(chunks).keys()] }
}

/** The field ids and the schema with which the next commit of a table continues. */
export async function planFormat(
  { tables }: Pick<TableContext, 'tables'>,
  { columns, plan, table }: { columns: readonly Column[]; plan: string; table: TableLatest | undefined },
): Promise<TableFormat> {
  const metadata = table && (await tables.readJson<TableMetadata>(table.metadata))
  const known = table?.columns ?? {}
  // Without its metadata the table starts again, with ids that none of its columns had.
  const ids = Object.values(known).map(({ id }) => id)
  const lastColumnId = Math.max(metadata?.['last-column-id'] ?? 0, ...ids)
  const assigned = assignFieldIds(columns, { columns: known, lastColumnId })
  const schema = schemaOf(assigned.columns, metadata?.schemas)
  return { ...assigned, schema, snapshotId: snapshotIdOf(plan) }
}

/** Positive and exact in JSON: less than 2^53. */
function snapshotIdOf(plan: string): number {
  const digest = createHash('sha256').update(plan).digest()
  return Number(digest.readBigUInt64BE() >> 12n) + 1
}

async function storeChunks(
  context: TableContext,
  { manifest, plan, format }: { manifest: Manifest; plan: PlanName; format: TableFormat | null },
): Promise<number> {
  const { pages } = manifest
  const { tables, checkTime } = context
  const damaged = (message: string) => new TaskFailed(message)
  const superseded = await supersededIn({ readObject: tables.readObject, checkTime, damaged }, manifest)
  const filePages = pagesOfFiles(manifest, superseded)
  const chunks = planChunks(pages, context.pagesOfChunk)
  await mapPooled([...chunks.entries()], maxWrites, async ([chunk, { from, to }]) => {
    const stored: ChunkPlan = {
      ...plan,
      chunk,
      format,
      pages: pages.slice(from, to),
      superseded: pages.slice(from, to).flatMap((_, index) => {
        const lines = superseded.get(from + index)
        return lines ? [[index, [...lines.keys()]] as const] : []
      }),
      check: pick(filePages(from, to), 'first', 'idField', 'superseded', 'superseding'),
    }
    await context.tables.writeJson(chunkKey(plan, chunk), stored)
  })
  return chunks.length
}

/**
 * Removes the table of an entity that no longer has columns: from Glue, and its files. If Glue refuses, everything
 * stays until the next publication.
 */
async function removeTable(
  context: Pick<TableContext, 'tables' | 'catalog' | 'log' | 'now'>,
  { name: entity, schemaReport }: Pick<TableSettings, 'name' | 'schemaReport'>,
): Promise<void> {
  const { tables, log } = context
  const keys: string[] = []
  for await (const { key } of tables.listObjects(entity))
    if (!schemaReport || !isWork(entity, key)) keys.push(key)
  if (keys.length === 0 || !(await dropFromGlue(context, entity))) return
  const latest = tableLatestKey(entity)
  // Readers no longer find the table when its files are deleted.
  if (keys.includes(latest)) await tables.deleteKeys([latest])
  await tables.deleteKeys(keys.filter((key) => key !== latest))
  log('INFO', 'table removed', { entity, objects: keys.length })
}

/** Intermediate files of schema reports. */
const isWork = (entity: string, key: string) => key.startsWith(`${tablePrefix(entity)}work/`)
