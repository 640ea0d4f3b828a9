import type { EntitySettings } from '../runtime/settings.ts'
import { configuredEntity } from '../task/configured-entity.ts'
import { carryOut, TaskFailed } from '../task/run.ts'
import { finishTip } from './chain/publish.ts'
import { compareEntity } from './compare-entity.ts'
import { type CompareContext, type CompareRequest, jobOf } from './context.ts'
import type { CompareTask } from './request.ts'
import { type ComparisonResult, endingOf, type FailedComparison } from './result.ts'

/** Carries out a task, logs how it ended, and sends an event if the set was refused or failed. */
export async function runTask(
  context: CompareContext,
  entities: readonly EntitySettings[],
  task: CompareTask,
): Promise<ComparisonResult> {
  const { request } = task
  const entity = configuredEntity(entities, request.entity)
  return carryOut(context, {
    run: () =>
      task.task === 'compare'
        ? compareEntity(context, entity, request)
        : recordFailure(context, entity, task),
    failed: (reason) => failure(context, request, reason),
    ending: endingOf,
  })
}

/** A comparison that stopped after it moved the tip to its run has not failed: its set is published. */
async function recordFailure(
  context: CompareContext,
  settings: EntitySettings,
  { request, reason }: Extract<CompareTask, { task: 'record-failure' }>,
): Promise<ComparisonResult> {
  const job = jobOf(settings, request)
  const chain = (await context.changes.readLatest(settings.name))?.value
  const finished = job && (await finishTip(context, job, chain))
  if (!finished) throw new TaskFailed(reason)
  return finished
}

async function failure(
  { snapshots, changes }: CompareContext,
  { entity, runId }: CompareRequest,
  reason: string,
): Promise<FailedComparison> {
  const [chain, latest] = await Promise.all([changes.readLatest(entity), snapshots.readLatest(entity)])
  return {
    status: 'failed',
    entity,
    base: chain?.value.tip ?? null,
    runId: latest?.value.runId ?? runId ?? null,
    reason,
  }
}
