import { withFailure, withoutComparison } from '../state/changes/change-chain.ts'
import type { SetManifest } from '../state/changes/changes.ts'
import { type ChangesLatest, chainSnapshotRun } from '../state/changes/changes-latest.ts'
import type { Stored } from '../state/objects.aws.ts'
import { type Manifest, runPrefix } from '../state/snapshots/manifest.ts'
import { beginComparison, endComparison } from './chain/in-progress.ts'
import { publishSet } from './chain/publish.ts'
import { type ComputedSet, computeSet, type RefusedSet } from './compute-set.ts'
import type { CompareContext, CompareJob } from './context.ts'
import { ComparisonFailed } from './failure.ts'
import type { Tip } from './reset.ts'
import type { ComparisonResult, RefusedComparison } from './result.ts'
import { acceptedBy, differenceOf, type Review } from './review.ts'

/** A snapshot that is newer than the tip. */
export interface NewerSnapshot {
  readonly runId: string
  /** Of its manifest; undefined if an older release published it. */
  readonly sha256: string | undefined
  /** Undefined if the entity has no set yet. */
  readonly chain: Stored<ChangesLatest> | undefined
  /** What an earlier comparison of the run has left. */
  readonly storedSet: Stored<SetManifest> | undefined
  readonly review: Review
}

/** Compares a snapshot with the tip and publishes the set, unless it is refused. `outdated`: the tip has moved. */
export async function compareWithTip(
  context: CompareContext,
  job: CompareJob,
  newer: NewerSnapshot,
): Promise<ComparisonResult | 'outdated'> {
  const { runId } = newer
  const chain = newer.chain && (await beginComparison(context, job, { chain: newer.chain, runId }))
  if (chain === 'outdated') return chain
  try {
    return await computeAndPublish(context, job, { ...newer, chain })
  } catch (error) {
    if (chain) await endComparison(context, job.entity, chain)
    throw error
  }
}

async function computeAndPublish(
  context: CompareContext,
  job: CompareJob,
  newer: NewerSnapshot,
): Promise<ComparisonResult | 'outdated'> {
  const { entity } = job
  const { runId, chain, storedSet, review } = newer
  const refuse = async (reason: string) => {
    if (chain) await endComparison(context, entity, chain)
    return refusal(job, newer, reason)
  }
  const computed = await computeOrRecordFailure(context, job, newer)
  if (computed === 'outdated') return computed
  if (computed.status === 'refused') {
    await storeRefusal(context, entity, { runId, chain, computed })
    return refuse(computed.reason)
  }
  const difference = differenceOf(computed.manifest, review)
  if (difference) return refuse(difference)
  const by = acceptedBy(review, computed.manifest, job.changes)
  const manifest = by === undefined ? computed.manifest : { ...computed.manifest, by }
  context.checkTime()
  // A manifest with another base can never be published, since the tip never returns to that base.
  const sha256 = await context.changes.writeManifest(manifest, storedSet ?? 'absent')
  return sha256 ? publishSet(context, job, { manifest, sha256, chain }) : 'outdated'
}

export function refusal(
  { entity, request }: CompareJob,
  { runId, chain }: Pick<NewerSnapshot, 'runId' | 'chain'>,
  reason: string,
): RefusedComparison {
  const base = chain?.value.tip ?? null
  return { status: 'refused', entity, base, runId: request.runId ?? runId, reason }
}

/** Computes the set. Records a failure that lasts. */
async function computeOrRecordFailure(
  context: CompareContext,
  job: CompareJob,
  { chain, ...newer }: NewerSnapshot,
): Promise<ComputedSet | 'outdated'> {
  const { entity } = job
  if (!chain) return computeSet(context, job, { ...newer, tip: undefined })
  try {
    const tip = await readTip(context, entity, chain.value)
    return await computeSet(context, job, { ...newer, tip })
  } catch (error) {
    if (!(error instanceof ComparisonFailed) || error.kind === 'other') throw error
    const failed = withFailure(withoutComparison(chain.value), {
      reason: error.message,
      kind: error.kind,
      now: context.now(),
    })
    // Another comparison may have moved the tip, and the old tip's snapshot may have been deleted since.
    if (!(await context.changes.writeLatest(entity, failed, chain))) return 'outdated'
    throw error
  }
}

/** Stores what a person reviews before the set is accepted. */
async function storeRefusal(
  { changes, now }: CompareContext,
  entity: string,
  { runId, chain, computed }: Pick<NewerSnapshot, 'runId' | 'chain'> & { readonly computed: RefusedSet },
): Promise<void> {
  const { status: _status, ...refused } = computed
  const chainSnapshot = chain && chainSnapshotRun(chain.value)
  await changes.writeRefused({
    version: 1,
    entity,
    runId,
    refusedAt: new Date(now()).toISOString(),
    ...refused,
    ...(chainSnapshot && chainSnapshot !== chain.value.tip && { chainSnapshot }),
  })
}

async function readTip(context: CompareContext, entity: string, chain: ChangesLatest): Promise<Tip> {
  const [set, snapshot] = await Promise.all([
    context.changes.readManifest(entity, chain.tip),
    context.snapshots.readManifest(entity, chainSnapshotRun(chain)),
  ])
  const isGone = !snapshot || !(await hasPages(context, snapshot))
  return { chain, set: set?.value, setSha256: set?.sha256, snapshot: isGone ? undefined : snapshot }
}

/** A snapshot of which every page is gone has expired. If only some are missing, it is damaged. */
async function hasPages({ snapshots }: CompareContext, { entity, runId, pages }: Manifest): Promise<boolean> {
  if (pages.length === 0) return true
  const keys = new Set(pages.map(({ key }) => key))
  for await (const key of snapshots.listKeys(runPrefix(entity, runId))) if (keys.has(key)) return true
  return false
}
