import { markAnnounced, sendSetEvent, type WrittenSet } from '../../chain/announce-set.ts'
import { describeError } from '../../runtime/log.ts'
import { updateAthenaTable } from '../../state/changes/athena-table.ts'
import { chainSnapshotOf, expiredObjects, extendChain } from '../../state/changes/change-chain.ts'
import { type FullSetManifest, isFullSet } from '../../state/changes/changes.ts'
import {
  type ChainSnapshot,
  type ChangesLatest,
  chainSnapshotRun,
} from '../../state/changes/changes-latest.ts'
import type { Stored } from '../../state/objects.aws.ts'
import type { CompareContext, CompareJob } from '../context.ts'
import { type ComparisonResult, describeSet } from '../result.ts'

/** Moves the tip to a set whose parts and manifest are stored. `outdated`: another comparison moved it. */
export async function publishSet(
  context: CompareContext,
  job: CompareJob,
  set: WrittenSet<FullSetManifest> & { readonly chain: Stored<ChangesLatest> | undefined },
): Promise<ComparisonResult | 'outdated'> {
  const { manifest, chain } = set
  const { keepDays } = job.changes
  const snapshot = job.increments && (await chainSnapshot(context, manifest))
  const next = extendChain(chain?.value, manifest, { keepDays, now: context.now(), snapshot })
  if (!(await context.changes.writeLatest(job.entity, next, chain ?? 'absent'))) return 'outdated'
  if (chain && !chain.value.announced) await announceBefore(context, job.entity, chain.value)
  return finishSet(context, job, { ...set, chain: next })
}

/** Sends the event of the previous set: what published it may have stopped before it did, or could not send it. */
async function announceBefore(
  context: CompareContext,
  entity: string,
  { tip }: ChangesLatest,
): Promise<void> {
  const set = await context.changes.readManifest(entity, tip)
  if (set) await sendSetEvent(context, { ...set, manifest: set.value })
}

/** The set's snapshot, so that increments need not read its manifest. */
async function chainSnapshot(
  { snapshots }: Pick<CompareContext, 'snapshots'>,
  { entity, runId, ignore }: FullSetManifest,
): Promise<ChainSnapshot | undefined> {
  const snapshot = await snapshots.readManifest(entity, runId)
  return snapshot && chainSnapshotOf(snapshot, ignore)
}

/**
 * If the run's set is the tip, repeats the steps that follow its publication: an earlier comparison may have stopped
 * between them. Undefined if it is not the tip.
 */
export async function finishTip(
  context: CompareContext,
  job: CompareJob,
  chain: ChangesLatest | undefined,
): Promise<ComparisonResult | undefined> {
  if (!chain || chain.tip !== job.request.runId) return undefined
  const set = await context.changes.readManifest(job.entity, chain.tip)
  if (!set || !isFullSet(set.value)) return undefined
  if (chain.announced) return { status: 'published', ...describeSet(set.value) }
  return finishSet(context, job, { manifest: set.value, sha256: set.sha256, chain })
}

async function finishSet(
  context: CompareContext,
  { entity, changes: { keepDays } }: CompareJob,
  { manifest, sha256, chain }: WrittenSet<FullSetManifest> & { readonly chain: ChangesLatest },
): Promise<ComparisonResult> {
  await updateAthenaTable(context, entity, manifest)
  const [isAnnounced] = await Promise.all([
    sendSetEvent(context, { manifest, sha256 }),
    cleanUp(context, entity, { chain, keepDays, now: context.now() }),
  ])
  if (isAnnounced) await markAnnounced(context, manifest)
  return { status: 'published', ...describeSet(manifest) }
}

/** Records that a publication was not compared, so that the chain starts again when change sets are turned on. */
export async function markOff(
  { snapshots, changes }: Pick<CompareContext, 'snapshots' | 'changes'>,
  entity: string,
): Promise<ComparisonResult> {
  const result = { status: 'off', entity } as const
  for (;;) {
    const chain = await changes.readLatest(entity)
    if (chain?.value.reset) return result
    const latest = await snapshots.readLatest(entity)
    if (!latest || (chain && latest.value.runId <= chainSnapshotRun(chain.value))) return result
    if (!chain) {
      await changes.writeUnpublished(entity, { kind: 'off', runId: latest.value.runId })
      return result
    }
    if (await changes.writeLatest(entity, { ...chain.value, reset: 'Change sets were turned off.' }, chain))
      return result
  }
}

/** The set is published even if this fails. The next clean-up deletes the rest. */
async function cleanUp(
  { changes, log }: CompareContext,
  entity: string,
  retention: { readonly chain: ChangesLatest; readonly keepDays: number; readonly now: number },
): Promise<void> {
  try {
    const keys = await Array.fromAsync(changes.listKeys(entity))
    await changes.deleteKeys(expiredObjects(entity, keys, retention))
  } catch (error) {
    log('ERROR', 'clean-up failed', { entity, error: describeError(error) })
  }
}
