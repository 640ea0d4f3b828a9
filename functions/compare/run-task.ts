import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { currentFailure, nextBase } from '../../stored/changes/unpublished-comparison.ts'
import { absentIfUnreadable } from '../../stored/unreadable-object.ts'
import { configuredEntity } from '../http/result.ts'
import { describeError } from '../runtime/log.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { carryOutTask, TaskFailed } from '../task/run.ts'
import { finishTip, markOff } from './chain/publish.ts'
import { compareWithTip, refusedComparison } from './compare-with-tip.ts'
import type { CompareContext, CompareJob, CompareRequest } from './context.ts'
import { ComparisonFailed, compareJobOf } from './context.ts'
import type { CompareTask } from './request.ts'
import { type ComparisonResult, comparisonEnding, type FailedComparison } from './result.ts'
import { readReview } from './review.ts'

/** Carries out a task, logs how it ended, and sends an event if the set was refused or failed. */
export async function runCompareTask(
  context: CompareContext,
  entities: readonly EntitySettings[],
  task: CompareTask,
): Promise<ComparisonResult> {
  const { request } = task
  const entity = configuredEntity(entities, request.entity)
  return carryOutTask(context, {
    run: () =>
      task.task === 'compare'
        ? compareEntity(context, entity, request)
        : recordFailure(context, entity, task),
    failed: (error) => failure(context, request, error),
    ending: comparisonEnding,
  })
}

/** A comparison that stopped after it moved the tip to its run has not failed: its set is published. */
async function recordFailure(
  context: CompareContext,
  settings: EntitySettings,
  { request, reason }: Extract<CompareTask, { task: 'record-failure' }>,
): Promise<ComparisonResult> {
  const job = compareJobOf(settings, request)
  const chain = (await context.changes.readLatest(settings.name).catch(absentIfUnreadable))?.value
  const finished = job && (await finishTip(context, job, chain))
  if (!finished) throw new TaskFailed(reason)
  return finished
}

async function failure(
  context: CompareContext,
  request: CompareRequest,
  error: TaskFailed,
): Promise<FailedComparison> {
  const { snapshots, changes, log } = context
  const { entity } = request
  // An object that has to be restored is a problem of its own, which must not hide this failure.
  const [stored, latest] = await Promise.all([
    changes.readLatest(entity).catch(absentIfUnreadable),
    snapshots.readLatest(entity).catch(absentIfUnreadable),
  ])
  const chain = stored?.value
  const runId = latest?.value.runId
  if (runId !== undefined)
    await recordUnpublished(context, { entity, runId, chain }, error).catch((cause: unknown) =>
      log('ERROR', 'failure not recorded', { entity, runId, error: describeError(cause) }),
    )
  const base = chain?.tip ?? null
  return { status: 'failed', entity, base, runId: runId ?? request.runId ?? null, reason: error.message }
}

/** Problems show it until the chain leads further. */
async function recordUnpublished(
  { changes, now }: CompareContext,
  {
    entity,
    runId,
    chain,
  }: Pick<FailedComparison, 'entity'> & { readonly runId: string; readonly chain: ChangesLatest | undefined },
  error: TaskFailed,
): Promise<void> {
  const before = currentFailure(await changes.readUnpublished(entity), chain)
  await changes.writeUnpublished(entity, {
    kind: 'failed',
    runId,
    base: nextBase(chain),
    cause: error instanceof ComparisonFailed ? error.kind : 'other',
    reason: error.message,
    count: (before?.count ?? 0) + 1,
    since: before?.since ?? new Date(now()).toISOString(),
  })
}

/** Each further round means that another comparison of the entity has moved the tip. */
const maxRounds = 5

/**
 * Compares the published snapshot of an entity with the tip and publishes the change set. It can be repeated after a
 * crash at any point and can run twice at the same time: the tip moves only from the state that was compared.
 */
async function compareEntity(
  context: CompareContext,
  settings: EntitySettings,
  request: CompareRequest,
): Promise<ComparisonResult> {
  const job = compareJobOf(settings, request)
  if (!job) return markOff(context, settings.name)
  for (let round = 1; round <= maxRounds; round++) {
    const result = await compareOnce(context, job)
    if (result !== 'outdated') return result
  }
  throw new ComparisonFailed(
    'other',
    'Other comparisons of the entity kept moving the tip. The next comparison starts from the new tip.',
  )
}

/** `outdated`: another comparison has moved the tip since it was read. */
async function compareOnce(context: CompareContext, job: CompareJob): Promise<ComparisonResult | 'outdated'> {
  const { entity } = job
  const latest = (await context.snapshots.readLatest(entity))?.value
  const chain = await context.changes.readLatest(entity)
  if (!latest || (chain && chainSnapshotRun(chain.value) >= latest.runId)) {
    const tip = chain?.value.tip ?? null
    return (await finishTip(context, job, chain?.value)) ?? { status: 'up-to-date', entity, tip }
  }
  const { runId, sha256 } = latest
  const review = await readReview(context, job, { latest, chain: chain?.value })
  if (review.kind === 'unacceptable')
    return refusedComparison(job, { runId, chain: chain?.value }, review.reason)
  return compareWithTip(context, job, { runId, sha256, chain: chain?.value, review })
}
