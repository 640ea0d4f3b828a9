import type { PublishTableEvent } from '../../stored/events.ts'
import type { TablesContext } from '../../stored/inventory/erase-table-runs.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** Everything outside the function that a table is made with. */
export interface TableContext extends TablesContext {
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'listRuns'>
  readonly publishEvent: PublishTableEvent
  /** How many pages a chunk has at most, unless there are too many of them. */
  readonly pagesOfChunk: number
}

export type TableSettings = Pick<EntitySettings, 'name' | 'columns' | 'schemaReport' | 'keepSnapshots'>
