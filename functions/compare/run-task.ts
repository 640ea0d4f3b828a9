import { metricFields } from '../runtime/metrics.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { sendEvent } from '../state/events.ts'
import { finishTip } from './chain/publish.ts'
import { compareEntity } from './compare-entity.ts'
import type { CompareContext, CompareRequest } from './context.ts'
import { ComparisonFailed } from './failure.ts'
import type { CompareTask } from './request.ts'
import type { ComparisonResult, FailedComparison, SetDescription } from './result.ts'

/**
 * Carries out a task, logs how it ended, and sends an event if the set was refused or failed. Rejects on errors that a
 * retry may resolve, such as errors of AWS.
 */
export async function runTask(
  context: CompareContext,
  entities: readonly EntitySettings[],
  task: CompareTask,
): Promise<ComparisonResult> {
  const { request } = task
  const entity = entities.find(({ name }) => name === request.entity)
  if (!entity) throw new Error(`The entity ${request.entity} is not configured.`)
  const result =
    task.task === 'compare'
      ? await compareOrFail(context, entity, request)
      : await recordFailure(context, entity, task)
  report(context, result)
  if (result.status === 'refused' || result.status === 'failed') {
    const { status, ...detail } = result
    await sendEvent(context, { type: status === 'refused' ? 'Changes Refused' : 'Changes Failed', detail })
  }
  return result
}

async function compareOrFail(
  context: CompareContext,
  entity: EntitySettings,
  request: CompareRequest,
): Promise<ComparisonResult> {
  try {
    return await compareEntity(context, entity, request)
  } catch (error) {
    if (!(error instanceof ComparisonFailed)) throw error
    return failure(context, request, error.message)
  }
}

/** A comparison that stopped after it moved the tip to its run has not failed: its set is published. */
async function recordFailure(
  context: CompareContext,
  { name: entity, changes, increments }: EntitySettings,
  { request, reason }: Extract<CompareTask, { task: 'record-failure' }>,
): Promise<ComparisonResult> {
  const chain = (await context.changes.readLatest(entity))?.value
  const finished = changes && (await finishTip(context, { entity, changes, increments, request }, chain))
  return finished || failure(context, request, reason)
}

async function failure(
  { snapshots, changes }: CompareContext,
  { entity, runId }: CompareRequest,
  reason: string,
): Promise<FailedComparison> {
  const [chain, latest] = await Promise.all([changes.readLatest(entity), snapshots.readLatest(entity)])
  const base = chain?.value.tip ?? null
  const advice =
    base && ` If later comparisons fail too, reset the chain: longshore changes ${entity} --reset.`
  return {
    status: 'failed',
    entity,
    base,
    runId: latest?.value.runId ?? runId ?? null,
    reason: `${reason}${advice ?? ''}`,
  }
}

/** What increments should have delivered; nothing without increments. */
function auditOf(set: SetDescription) {
  const { missedByIncrements, invisibleToIncrements } = set
  return {
    ...(missedByIncrements !== undefined && { MissedByIncrements: missedByIncrements }),
    ...(invisibleToIncrements !== undefined && { InvisibleToIncrements: invisibleToIncrements }),
  }
}

/** One line for each comparison. */
function report({ log, now }: CompareContext, result: ComparisonResult): void {
  const { status, entity } = result
  const metrics = {
    ...(status === 'published' && { ChangeSetsPublished: 1, ...auditOf(result) }),
    ...(status === 'refused' && { ChangeSetsRefused: 1 }),
    ...(status === 'failed' && { ChangeSetsFailed: 1 }),
  }
  const level = status === 'refused' || status === 'failed' ? 'WARN' : 'INFO'
  log(level, 'comparison ended', { ...result, ...metricFields(metrics, { Entity: entity }, now()) })
}
