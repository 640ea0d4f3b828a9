import type { PublishTableEvent } from '../../stored/events.ts'
import type { Catalog } from '../../stored/glue/catalog.aws.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import type { Log } from '../runtime/log.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** Everything outside the function that a table is made with. */
export interface TableContext {
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'listRuns'>
  readonly tables: TableStore
  /** The Glue database; undefined if there is none. */
  readonly catalog: Catalog | undefined
  readonly publishEvent: PublishTableEvent
  readonly log: Log
  readonly now: () => number
  /** Names of files, which are used once. */
  readonly uniqueName: () => string
  /** How many pages a chunk has at most, unless there are too many of them. */
  readonly pagesOfChunk: number
  /** Throws `TaskFailed` if too little time is left to continue. */
  readonly checkTime: () => void
}

export type TableSettings = Pick<EntitySettings, 'name' | 'columns' | 'schemaReport' | 'keepSnapshots'>
