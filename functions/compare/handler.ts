import type { Context } from 'aws-lambda'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createErasurePasses } from '../../stored/erasure-passes.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { createPublisher } from '../../stored/publisher.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { log } from '../runtime/log.ts'
import { ErasureOutOfTime, erasureDays, isErasure } from '../task/erase-entities.ts'
import { timeLimit } from '../task/time-limit.ts'
import { ComparisonFailed } from './context.ts'
import { type ErasureResult, eraseAll } from './erase/erase-all.ts'
import { readCompareTask } from './request.ts'
import type { ComparisonResult } from './result.ts'
import { runCompareTask } from './run-task.ts'

const { name: deployment, entities, eraseWithinDays } = readSettings()
const bucket = required(environment.bucket)
const snapshots = createSnapshotStore(bucket)
const changes = createChangeSetStore(bucket)
const publisher = createPublisher(required(environment.publisher))
const publishEvent = createEventPublisher({ deployment, bucket })

const tooLarge =
  'The snapshots are too large to be compared in one invocation. Leave out fields with _fields, or set ' +
  'changes: false for the entity.'

/**
 * Compares the published snapshot with the tip: invoked by the state machine, or directly with `{"entity": "CL"}`. With
 * `eraseWithinDays`, a schedule invokes it once a day to erase what must not be kept.
 */
export async function handler(event: unknown, lambda: Context): Promise<ComparisonResult | ErasureResult> {
  const checkTime = timeLimit(lambda, () => new ComparisonFailed('too-large', tooLarge))
  const clients = { snapshots, changes, publisher, publishEvent }
  const context = { ...clients, eraseWithinDays, log, now: Date.now, checkTime }
  if (!isErasure(event)) return runCompareTask(context, entities, readCompareTask(event))
  const table = connectTable(required(environment.table))
  return eraseAll({
    ...context,
    versions: createObjectVersionStore(bucket),
    state: createStateStore(table),
    passes: createErasurePasses(table, 'erasedAt'),
    configured: entities.map(({ name }) => name),
    eraseWithinDays: erasureDays(eraseWithinDays),
    checkTime: timeLimit(lambda, () => new ErasureOutOfTime()),
  })
}
