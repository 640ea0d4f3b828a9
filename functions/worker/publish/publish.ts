import type { EntitySettings } from '../../runtime/settings.ts'
import { sendEvent } from '../../state/events.ts'
import type { Progress } from '../../state/pages/page.ts'
import { pagesOf } from '../../state/run/attempts.ts'
import { type EndedRun, highestAttempt, type PublishingRun } from '../../state/run/run.ts'
import { failed, published, refused } from '../../state/run/run-changes.ts'
import { type PartitionResult, rangesOf } from '../../state/run/split.ts'
import {
  type Latest,
  type Manifest,
  manifestKey,
  type PartitionedBy,
} from '../../state/snapshots/manifest.ts'
import type { StepContext } from '../context.ts'
import { countPages, type PageCount } from '../proof/page-count.ts'
import { cleanUp } from './clean-up.ts'
import { refusalReason } from './guards.ts'

export type PublishContext = Pick<StepContext, 'state' | 'snapshots' | 'publishEvent' | 'log' | 'now'>

export const expiredPagesReason =
  'The pages of the run are not the ones that were proven, because their items have expired. Start the sync again.'

export interface ToPublish {
  readonly entity: EntitySettings
  /** The attempt's pages, if this worker has counted them. */
  readonly count: PageCount | undefined
}

/**
 * Publishes a run that is `publishing`. It may be called again after a crash at any point. The pages are stored; then
 * come the manifest, `latest.json` and the list of the Athena table. Returns the run's end.
 */
export async function publish(
  context: PublishContext,
  run: PublishingRun,
  { entity, count }: ToPublish,
): Promise<EndedRun> {
  const { snapshots, now } = context
  const progress = progressOf(run)
  const before = await snapshots.readLatest(entity.name)
  if (before?.value.runId !== run.runId) {
    const { acceptShrink } = run
    const publishedIds = before && (await publishedIdsOf(snapshots, entity.name, before.value))
    const { maxShrinkPercent, allowEmpty } = run.plan
    const guarded = { ...entity, maxShrinkPercent, allowEmpty }
    const { uniqueIds } = run.result
    const reason = refusalReason({ uniqueIds, publishedIds, entity: guarded, acceptShrink })
    if (reason) return refused(run, { reason, progress, now: now() })
  }
  const manifest = await writtenManifest(context, run, count)
  if (!manifest) {
    return failed(run, { reason: expiredPagesReason, progress, now: now() })
  }
  const wanted = {
    runId: run.runId,
    manifest: manifestKey(entity.name, run.runId),
    publishedAt: new Date(now()).toISOString(),
    documents: manifest.documents,
  }
  const latest = await snapshots.moveLatest(entity.name, wanted, before)
  if (latest.runId !== run.runId) {
    const reason = `The newer run ${latest.runId} has published in the meantime.`
    return failed(run, { reason, progress, now: now() })
  }
  await followLatest(context, manifest, latest)
  // Nothing is deleted before the table's list has moved, so readers of the old list still find its pages.
  const { documents, proof } = manifest
  const detail = { entity: entity.name, runId: run.runId, documents, proof, manifest: latest.manifest }
  await Promise.all([
    cleanUp(context, entity, manifest),
    sendEvent(context, { type: 'Snapshot Published', detail }),
  ])
  return published(run, { manifest: latest.manifest, progress, now: now() })
}

/** Unique documents of the published snapshot. Without its manifest those of `latest.json`, which may repeat some. */
async function publishedIdsOf(
  snapshots: PublishContext['snapshots'],
  entity: string,
  { runId, documents }: Latest,
): Promise<number> {
  return (await snapshots.readManifest(entity, runId))?.uniqueIds ?? documents
}

/** Moves what follows `latest.json`: the list of the Athena table and the entity's item. */
export async function followLatest(
  { snapshots, state }: Pick<PublishContext, 'snapshots' | 'state'>,
  manifest: Manifest,
  latest: Latest,
): Promise<void> {
  await Promise.all([
    snapshots.moveTable(manifest.entity, manifest),
    state.setLatest(manifest.entity, latest),
  ])
}

/** Undefined if the committed pages are no longer those of the proof. */
async function writtenManifest(
  { state, snapshots }: PublishContext,
  run: PublishingRun,
  counted: PageCount | undefined,
): Promise<Manifest | undefined> {
  if (counted) return snapshots.putManifest(manifestOf(run, counted))
  const stored = await snapshots.readManifest(run.entity, run.runId)
  if (stored) return stored
  const count = await countPages(pagesOf(state, run))
  return isProven(count, run) ? snapshots.putManifest(manifestOf(run, count)) : undefined
}

function isProven({ documents, uniqueIds, pages }: PageCount, { result }: PublishingRun): boolean {
  return documents === result.documents && uniqueIds === result.uniqueIds && pages.length === result.pages
}

function manifestOf(run: PublishingRun, { pages }: PageCount): Manifest {
  const { entity, runId, startedAt, plan, result } = run
  const { openedAt, finishedAt, pageSize, documents, uniqueIds, reportedTotal, proof, spent, partitions } =
    result
  const { query, idField } = plan
  return {
    version: 1,
    entity,
    runId,
    startedAt,
    openedAt,
    finishedAt,
    query,
    idField,
    pageSize,
    attempts: highestAttempt(run),
    documents,
    uniqueIds,
    reportedTotal,
    proof,
    spent,
    ...(partitions && {
      partitions: partitions.ranges,
      partitionedBy: partitionedBy(partitions),
    }),
    pages,
  }
}

function partitionedBy({ ranges: _ranges, ...partitionedBy }: PartitionResult): PartitionedBy {
  return partitionedBy
}

function progressOf({ split, result }: PublishingRun): Progress {
  const { documents, pages, reportedTotal } = result
  const rangeProgress = rangesOf(split).flatMap((range) =>
    range.state === 'proven'
      ? [{ documents: range.documents, pages: range.pages, total: range.total ?? undefined }]
      : [],
  )
  return { documents, pages, total: reportedTotal ?? undefined, rangeProgress }
}
