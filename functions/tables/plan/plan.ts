import type { FileColumn, TableSchema } from '../../../stored/iceberg/table-schema.ts'
import type { Manifest, ManifestPage } from '../../../stored/snapshots/manifest.ts'
import { workPrefix } from '../../../stored/tables/table.ts'
import type { PagesOfTable } from '../check/page-documents.ts'

/** A table of one run that is being made. `plan` is the unique name of the plan. */
export interface PlanName {
  readonly entity: string
  readonly runId: string
  readonly plan: string
}

/** What the files of a table are written with; null if only the schema report is made. */
export interface TableFormat {
  readonly columns: readonly FileColumn[]
  readonly lastColumnId: number
  readonly schema: TableSchema
  /** Of the Iceberg snapshot that the commit will add. */
  readonly snapshotId: number
}

/** What a plan stores for the commit. */
export interface StoredPlan extends PlanName {
  readonly plannedAt: string
  readonly chunks: number
  /** The unique ids of the snapshot, which are the rows of its table. */
  readonly rows: number
  /** Why the snapshot counts as complete. */
  readonly proof: Manifest['proof']
  readonly format: TableFormat | null
}

/** What a plan stores for the invocation that writes a chunk. */
export interface ChunkPlan extends PlanName {
  readonly chunk: number
  readonly format: TableFormat | null
  readonly pages: readonly ManifestPage[]
  /** The lines that are no rows, by the position of their page in this list. */
  readonly superseded: readonly (readonly [page: number, lines: readonly number[]])[]
  /** What its file is checked with. Plans of earlier versions have none. */
  readonly check?: Pick<PagesOfTable, 'first' | 'idField' | 'superseded' | 'superseding'>
}

export const planKey = ({ entity, runId, plan }: PlanName) => `${workPrefix(entity, runId, plan)}plan.json`
export const chunkKey = ({ entity, runId, plan }: PlanName, chunk: number) =>
  `${workPrefix(entity, runId, plan)}chunk-${chunk}.json`
/** `name` is what the chunk returned. */
export const chunkResultKey = ({ entity, runId, plan }: PlanName, name: string) =>
  `${workPrefix(entity, runId, plan)}result-${name}.json`
