import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { ListedObject } from '../../stored/objects.aws.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import type { Latest } from '../../stored/snapshots/manifest.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import type { Examination } from './examination.ts'

export interface VerifiedEntity {
  readonly entity: string
  readonly bucket: string
  /** Undefined if it is not configured any more. */
  readonly settings: EntitySettings | undefined
  /** What the state table has of the published snapshot. */
  readonly recorded: Latest | undefined
  readonly readRuns: (runIds: readonly string[]) => Promise<SnapshotRun[]>
  readonly list: (prefix: string) => AsyncIterable<ListedObject>
  readonly tables: TableStore
  readonly examination: Examination
  /** Epoch milliseconds. */
  readonly now: number
  /** Called with the documents and records that were read since the last call. */
  readonly onRead: (lines: number) => void
}
