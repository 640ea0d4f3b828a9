import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createErasurePasses } from '../../stored/erasure-passes.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import { openCatalog } from '../../stored/glue/catalog.aws.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { log } from '../runtime/log.ts'
import { type ErasedByTask, ErasureOutOfTime, erasureDays, isErasure } from '../task/erase-entities.ts'
import { TaskFailed } from '../task/run.ts'
import { timeLimit } from '../task/time-limit.ts'
import { eraseTables } from './erase-tables.ts'
import { readTableTask } from './request.ts'
import type { ChunkOutcome, TableResult } from './result.ts'
import { runTableTask } from './run-task.ts'

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

const tooLarge =
  'The snapshot is too large for one invocation. Leave out fields with _fields, or lower pageSize, so that chunks ' +
  'become smaller.'

/**
 * Builds the Iceberg table of a published snapshot: invoked by the state machine, or directly with `{"entity": "CL"}`. With
 * `eraseWithinDays`, a schedule invokes it once a day to erase what must not be kept.
 */
export async function handler(
  event: unknown,
  lambda: Context,
): Promise<TableResult | ChunkOutcome | ErasedByTask> {
  const context = { ...stores, checkTime: timeLimit(lambda, () => new TaskFailed(tooLarge)) }
  if (!isErasure(event)) return runTableTask(context, entities, readTableTask(event))
  return eraseTables({
    ...context,
    versions: createObjectVersionStore(bucket),
    passes: createErasurePasses(connectTable(required(environment.table)), 'tablesErasedAt'),
    configured: entities.map(({ name }) => name),
    eraseWithinDays: erasureDays(eraseWithinDays),
    checkTime: timeLimit(lambda, () => new ErasureOutOfTime()),
  })
}
