import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { type Manifest, runPrefix } from '../../stored/snapshots/manifest.ts'
import { requestPublication, StillChecked } from './chain/publish.ts'
import { type ComputedSet, computeSet, type RefusedSet } from './compute-set.ts'
import { type CompareContext, type CompareJob, ComparisonFailed } from './context.ts'
import type { Tip } from './reset.ts'
import type { ComparisonResult, RefusedComparison } from './result.ts'
import { acceptedBy, differenceOf, type Review, refusedAgain } from './review.ts'

export interface NewerSnapshot {
  readonly runId: string
  /** Of its manifest; undefined if an older release published it. */
  readonly sha256: string | undefined
  /** Undefined if the entity has no set yet. */
  readonly chain: ChangesLatest | undefined
  readonly review: Review
}

/** Compares a snapshot with the tip and publishes the set, unless it is refused. `outdated`: the tip has moved. */
export async function compareWithTip(
  context: CompareContext,
  job: CompareJob,
  newer: NewerSnapshot,
): Promise<ComparisonResult | 'outdated'> {
  const { entity, increments } = job
  const { runId, chain } = newer
  if (!chain || !increments) return computeAndPublish(context, job, newer)
  const note = (kind: 'comparing' | 'compared') =>
    context.publisher.note({ entity, tip: chain.tip, note: { kind, runId } })
  // No increment moves the tip until the comparison has ended.
  if ((await note('comparing')).kind === 'outdated') return 'outdated'
  let goesOn = false
  try {
    const result = await computeAndPublish(context, job, newer)
    goesOn = result !== 'outdated' && result.status === 'published'
    return result
  } catch (error) {
    goesOn = error instanceof StillChecked
    throw error
  } finally {
    // Without this note increments wait until the comparison's time is up.
    if (!goesOn) await note('compared').catch(() => undefined)
  }
}

async function computeAndPublish(
  context: CompareContext,
  job: CompareJob,
  newer: NewerSnapshot,
): Promise<ComparisonResult | 'outdated'> {
  const { entity } = job
  const { runId, chain, review } = newer
  const computed = await computeOrRecordFailure(context, job, newer)
  if (computed === 'outdated') return computed
  if (computed.status === 'refused') {
    await storeRefusal(context, entity, { runId, chain, computed })
    return refusedComparison(job, newer, computed.reason)
  }
  const difference = differenceOf(computed.manifest, review)
  if (difference) return refusedComparison(job, newer, difference)
  const by = acceptedBy(review, computed.manifest, job.changes)
  context.checkTime()
  const manifest = by === undefined ? computed.manifest : { ...computed.manifest, by }
  const result = await requestPublication(context, job, {
    entity,
    runId,
    proposal: await context.changes.writeProposal(manifest, context.now()),
  })
  if (result === 'outdated' && by !== undefined && !(await hasMoved(context, job, newer)))
    return refusedComparison(job, newer, refusedAgain(runId))
  if (result === 'outdated' || result.status !== 'guarded') return result
  const { request } = job
  if (!request.acceptDeletes) throw new ComparisonFailed('other', result.reason)
  // An item of 1.0.0 does not say that deletes are accepted, so a person reviews them.
  return computeAndPublish(context, { ...job, request: { ...request, acceptDeletes: false } }, newer)
}

/** If nothing has moved, a set is outdated because its acceptance is: another refusal was accepted. */
async function hasMoved(
  { snapshots, changes }: CompareContext,
  { entity }: CompareJob,
  { runId, chain }: Pick<NewerSnapshot, 'runId' | 'chain'>,
): Promise<boolean> {
  const now = (await changes.readLatest(entity))?.value
  const published = (await snapshots.readLatest(entity))?.value.runId
  return now?.tip !== chain?.tip || now?.reset !== chain?.reset || published !== runId
}

export function refusedComparison(
  { entity, request }: CompareJob,
  { runId, chain }: Pick<NewerSnapshot, 'runId' | 'chain'>,
  reason: string,
): RefusedComparison {
  const base = chain?.tip ?? null
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
    const tip = await readTip(context, entity, chain)
    return await computeSet(context, job, { ...newer, tip })
  } catch (error) {
    if (!(error instanceof ComparisonFailed) || error.kind === 'other') throw error
    const note = { kind: 'failed', reason: error.message, cause: error.kind } as const
    const recorded = await context.publisher.note({ entity, tip: chain.tip, note })
    // Another comparison may have moved the tip, and the old tip's snapshot may have been deleted since.
    if (recorded.kind === 'outdated') return 'outdated'
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
  const chainSnapshot = chain && chainSnapshotRun(chain)
  await changes.writeRefused({
    version: 1,
    entity,
    runId,
    refusedAt: new Date(now()).toISOString(),
    ...refused,
    ...(chainSnapshot && chainSnapshot !== chain.tip && { chainSnapshot }),
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
