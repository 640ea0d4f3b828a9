import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { endMarginMs } from '../runtime/client-limits.ts'
import { log } from '../runtime/log.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { createEventPublisher } from '../state/events.aws.ts'
import { createObjectVersionStore } from '../state/object-versions.aws.ts'
import { createSnapshotStore } from '../state/snapshots/snapshots.aws.ts'
import { createTableStore } from '../state/tables/tables.aws.ts'
import { type ErasedTables, eraseTables } from './erase/erase-tables.ts'
import { TableFailed } from './failure.ts'
import { openCatalog } from './glue/catalog.aws.ts'
import { readTask } from './request.ts'
import type { ChunkOutcome, TableResult } from './result.ts'
import { runTask } from './run-task.ts'

const { name: deployment, entities, eraseWithinDays } = readSettings()
const bucket = required(environment.bucket)
// Without Athena there is no Glue database, nor is there one locally.
const database = process.env[environment.glueDatabase]
const stores = {
  snapshots: createSnapshotStore(bucket),
  tables: createTableStore(bucket),
  catalog: database ? openCatalog(database) : undefined,
  publishEvent: createEventPublisher({ deployment, bucket }),
  log,
  now: Date.now,
  // Written well within an invocation's time and memory.
  pagesOfChunk: 1000,
  uniqueName: () => randomUUID().slice(0, 13),
}

/**
 * Builds the Iceberg table of a published snapshot: invoked by the state machine, or directly with `{"entity": "CL"}`. With
 * `eraseWithinDays`, a schedule invokes it once a day to erase what must not be kept.
 */
export async function handler(
  event: unknown,
  lambda: Context,
): Promise<TableResult | ChunkOutcome | ErasedTables> {
  const checkTime = () => {
    if (lambda.getRemainingTimeInMillis() > endMarginMs) return
    throw new TableFailed(
      'The snapshot is too large for one invocation. Leave out fields with _fields, or lower pageSize, so that chunks become smaller.',
    )
  }
  const context = { ...stores, checkTime }
  const task = readTask(event)
  if (task.task !== 'erase') return runTask(context, entities, task)
  if (eraseWithinDays === undefined) throw new Error('Nothing is erased without eraseWithinDays.')
  return eraseTables({ ...context, versions: createObjectVersionStore(bucket), eraseWithinDays })
}
