import { pick } from '../../runtime/pick.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { sendEvent } from '../../state/events.ts'
import type { Progress } from '../../state/pages/page.ts'
import { pagesOf } from '../../state/run/attempts.ts'
import { type EndedRun, highestAttempt, type PublishingRun, rangesOfRun } from '../../state/run/run.ts'
import { failed, published, refused } from '../../state/run/run-changes.ts'
import { storedLimit } from '../../state/run/shrink-limit.ts'
import type { PartitionResult } from '../../state/run/split.ts'
import { hasAllPages } from '../../state/snapshots/acceptable.ts'
import {
  type Latest,
  type Manifest,
  manifestKey,
  republishedManifest,
} from '../../state/snapshots/manifest.ts'
import type { StepContext } from '../context.ts'
import { countPages, type PageCount } from '../proof/page-count.ts'
import { cleanUpSnapshots } from './clean-up.ts'
import { type GuardRefusal, refusalOf } from './guards.ts'
import { publishedIdsOf } from './published-ids.ts'

export type PublishContext = Pick<
  StepContext,
  'state' | 'snapshots' | 'changes' | 'publishEvent' | 'log' | 'now'
>

export const expiredPagesReason =
  'The pages of the run are not the ones that were proven, because their items have expired. Start the sync again.'

const goneReason = 'The refused snapshot is gone. Start the sync again.'
const missingPagesReason = 'Pages of the run are gone. Start the sync again.'
const uncheckedReason =
  'The worker stopped before it had checked the accepted pages. Review and accept the snapshot again, or sync again.'

/** What a worker knows of the stored pages: it has counted them, or compared each of them with its manifest. */
export type KnownPages = PageCount | 'intact' | undefined

/**
 * Publishes a run that is `publishing`, unless a guard refuses it. It may be called again after a crash at any point. The
 * pages are stored; then come the manifest, `latest.json` and the list of the Athena table. Returns the run's end.
 */
export async function publish(
  context: PublishContext,
  publishing: PublishingRun,
  { entity, pages }: { readonly entity: EntitySettings; readonly pages: KnownPages },
): Promise<EndedRun> {
  const { snapshots, now } = context
  const before = await snapshots.readLatest(entity.name)
  const hasMoved = before?.value.runId === publishing.runId
  const { run, refusal } =
    hasMoved || publishing.accepted
      ? { run: publishing, refusal: undefined }
      : await guard(context, publishing, { entity, latest: before?.value })
  const progress = progressOf(run)
  const fail = (reason: string) => failed(run, { reason, progress, now: now() })
  const proven = await manifestToPublish(context, run, pages)
  if (typeof proven === 'string') return fail(proven)
  // Of a publication that is resumed later, erasure may have deleted them.
  if (!pages && !hasMoved && !(await hasAllPages(snapshots, proven))) return fail(missingPagesReason)
  if (refusal) {
    const manifest = await snapshots.putRefused(proven)
    await cleanUpSnapshots(context, entity, { outcome: 'refused', manifest, published: before?.value.runId })
    return refused(run, { reason: refusal.reason, progress, now: now() })
  }
  const manifest = await snapshots.putManifest(proven)
  const wanted = {
    runId: run.runId,
    manifest: manifestKey(entity.name, run.runId),
    publishedAt: new Date(now()).toISOString(),
    documents: manifest.documents,
  }
  const latest = await snapshots.moveLatest(entity.name, wanted, before)
  if (latest.runId !== run.runId) {
    return fail(`The newer run ${latest.runId} has published in the meantime.`)
  }
  await followLatest(context, manifest, latest)
  // Nothing is deleted before the table's list has moved, so readers of the old list still find its pages.
  const { documents, proof } = manifest
  const decided = run.accepted && { by: run.accepted.by }
  const detail = {
    entity: entity.name,
    runId: run.runId,
    documents,
    proof,
    manifest: latest.manifest,
    ...decided,
  }
  await Promise.all([
    cleanUpSnapshots(context, entity, { outcome: 'published', manifest, published: run.runId }),
    sendEvent(context, { type: 'Snapshot Published', detail }),
  ])
  return published(run, { manifest: latest.manifest, progress, now: now() })
}

/** Lets the guards decide, and records on the run what they decided. */
async function guard(
  { snapshots, now }: PublishContext,
  run: PublishingRun,
  { entity, latest }: { readonly entity: EntitySettings; readonly latest: Latest | undefined },
): Promise<{ readonly run: PublishingRun; readonly refusal: GuardRefusal | undefined }> {
  const { result, acceptShrink } = run
  const limits = run.kind === 'full' ? run.plan : run.limits
  const { uniqueIds } = result
  const publishedIds = latest && (await publishedIdsOf(snapshots, entity.name, latest))
  const refusal = refusalOf({
    uniqueIds,
    publishedIds,
    entity: { ...entity, maxShrinkPercent: storedLimit(limits), allowEmpty: limits.allowEmpty },
    acceptShrink,
  })
  const guarded = {
    decidedAt: new Date(now()).toISOString(),
    uniqueIds,
    ...(publishedIds !== undefined && { publishedIds }),
    ...(refusal && { refusedBy: refusal.key }),
  }
  return { run: { ...run, guarded }, refusal }
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

/** The reason if there is none: the committed pages are no longer those of the proof, or what was refused is gone. */
async function manifestToPublish(
  { state, snapshots }: PublishContext,
  run: PublishingRun,
  pages: KnownPages,
): Promise<Manifest | string> {
  const counted = typeof pages === 'object' ? pages : undefined
  const stored = counted ? undefined : await snapshots.readManifest(run.entity, run.runId)
  if (stored) return stored
  if (run.accepted) {
    if (!run.accepted.checked) return uncheckedReason
    return (await snapshots.readRefused(run.entity, run.runId)) ?? goneReason
  }
  if (run.kind === 'republication') {
    const source = await snapshots.readManifest(run.entity, run.republishedFrom)
    return source ? republishedManifest(source, run) : expiredPagesReason
  }
  const count = counted ?? (await countPages(pagesOf(state, run)))
  return counted || isProven(count, run) ? manifestOf(run, count) : expiredPagesReason
}

function isProven({ documents, uniqueIds, pages }: PageCount, { result }: PublishingRun): boolean {
  return documents === result.documents && uniqueIds === result.uniqueIds && pages.length === result.pages
}

function manifestOf(run: PublishingRun & { readonly kind: 'full' }, { pages }: PageCount): Manifest {
  const { plan } = run
  const { partitions, pages: _count, ...result } = run.result
  return {
    version: 1,
    ...pick(run, 'entity', 'runId', 'startedAt'),
    query: plan.query,
    idField: plan.idField,
    attempts: highestAttempt(run),
    ...result,
    ...(partitions && rangesInManifest(partitions)),
    pages,
  }
}

const rangesInManifest = ({ ranges, ...partitionedBy }: PartitionResult) => ({
  partitions: ranges,
  partitionedBy,
})

function progressOf(run: PublishingRun): Progress {
  const { documents, pages, reportedTotal } = run.result
  const rangeProgress = rangesOfRun(run).flatMap((range) =>
    range.state === 'proven'
      ? [{ documents: range.documents, pages: range.pages, total: range.total ?? undefined }]
      : [],
  )
  return { documents, pages, total: reportedTotal ?? undefined, rangeProgress }
}
