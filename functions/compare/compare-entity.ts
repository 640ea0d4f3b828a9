import type { EntitySettings } from '../runtime/settings.ts'
import { readAcceptableChanges } from '../state/changes/acceptable-changes.ts'
import { withFailure, withoutComparison } from '../state/changes/change-chain.ts'
import {
  type ChangesLatest,
  chainSnapshotRun,
  type FullSetManifest,
  type RefusedChanges,
} from '../state/changes/changes.ts'
import { type Manifest, runPrefix } from '../state/snapshots/manifest.ts'
import { beginComparison, endComparison } from './chain/in-progress.ts'
import { finishTip, markOff, publishSet } from './chain/publish.ts'
import { computeSet } from './compute-set.ts'
import type { CompareContext, CompareJob, CompareRequest } from './context.ts'
import { ComparisonFailed } from './failure.ts'
import type { Tip } from './reset.ts'
import type { ComparisonResult } from './result.ts'

/** Each further round means that another comparison of the entity has moved the tip. */
const maxRounds = 5

/**
 * Compares the published snapshot of an entity with the tip and publishes the change set. It can be repeated after a
 * crash at any point and can run twice at the same time: the tip moves only from the state that was compared.
 */
export async function compareEntity(
  context: CompareContext,
  { name, changes, increments }: EntitySettings,
  request: CompareRequest,
): Promise<ComparisonResult> {
  if (changes === false) return markOff(context, name)
  for (let round = 1; round <= maxRounds; round++) {
    const result = await compareOnce(context, { entity: name, changes, increments, request })
    if (result !== 'outdated') return result
  }
  throw new ComparisonFailed(
    'other',
    'Other comparisons of the entity kept moving the tip. The next comparison starts from the new tip.',
  )
}

/** `outdated`: another comparison has moved the tip since it was read. */
async function compareOnce(context: CompareContext, job: CompareJob): Promise<ComparisonResult | 'outdated'> {
  const { entity, request } = job
  const latest = (await context.snapshots.readLatest(entity))?.value
  const before = await context.changes.readLatest(entity)
  const tip = before?.value.tip ?? null
  if (!latest || (before && chainSnapshotRun(before.value) >= latest.runId))
    return (await finishTip(context, job, before?.value)) ?? { status: 'up-to-date', entity, tip }

  const refuse = (reason: string) =>
    ({ status: 'refused', entity, base: tip, runId: request.runId ?? latest.runId, reason }) as const
  const { acceptance } = request
  const reviewed =
    acceptance &&
    (await readAcceptableChanges(context, { ...acceptance, entity, latest, chain: before?.value }))
  if (reviewed?.kind === 'unacceptable') return refuse(reviewed.reason)

  // A comparison that crashed may have left its manifest. Publish it if its base is still the tip. A reset has no base:
  // it is published only while there is no tip.
  const left = await context.changes.readManifest(entity, latest.runId)
  if (left && left.value.kind !== 'increment' && left.value.base === tip && !before?.value.reset)
    return publishSet(context, job, { manifest: left.value, chain: before })

  const chain = before && (await beginComparison(context, job, { chain: before, runId: latest.runId }))
  if (chain === 'outdated') return chain
  const read = chain && (await readTip(context, entity, chain.value))
  const accepted = reviewed?.refused
  const computed = await computeSet(context, job, { runId: latest.runId, tip: read, accepted }).catch(
    async (error: unknown) => {
      if (!chain) throw error
      if (!(error instanceof ComparisonFailed) || error.kind === 'other') {
        await endComparison(context, entity, chain)
        throw error
      }
      const failed = withFailure(withoutComparison(chain.value), context.now())
      // Another comparison may have moved the tip, and the old tip's snapshot may have been deleted since.
      if (!(await context.changes.writeLatest(entity, failed, chain))) return 'outdated' as const
      throw error
    },
  )
  if (computed === 'outdated') return computed
  if (computed.status === 'refused') {
    const { status: _status, ...refused } = computed
    const refusedAt = new Date(context.now()).toISOString()
    await context.changes.writeRefused({
      version: 1,
      entity,
      runId: latest.runId,
      refusedAt,
      ...refused,
      ...(chain && chainSnapshotRun(chain.value) !== tip && { chainSnapshot: chainSnapshotRun(chain.value) }),
    })
    if (chain) await endComparison(context, entity, chain)
    return refuse(refused.reason)
  }
  const difference = accepted && differenceOf(computed.manifest, accepted)
  if (difference) {
    if (chain) await endComparison(context, entity, chain)
    return refuse(difference)
  }
  const manifest = acceptance ? { ...computed.manifest, by: acceptance.by } : computed.manifest
  context.checkTime()
  // A manifest with another base can never be published, since the tip never returns to that base.
  const written = await context.changes.writeManifest(manifest, left ?? 'absent')
  return written ? publishSet(context, job, { manifest, chain }) : 'outdated'
}

/** Why a set is not the one that was reviewed, such as another configuration; undefined if it is. */
function differenceOf(manifest: FullSetManifest, { kind }: RefusedChanges): string | undefined {
  if (manifest.kind === kind) return undefined
  const now = manifest.kind === 'reset' ? `a reset (${manifest.reason})` : `${manifest.deleted} deletes`
  return `The set would be ${now}, which is not what was reviewed. Start a new sync.`
}

async function readTip(context: CompareContext, entity: string, chain: ChangesLatest): Promise<Tip> {
  const [set, snapshot] = await Promise.all([
    context.changes.readManifest(entity, chain.tip),
    context.snapshots.readManifest(entity, chainSnapshotRun(chain)),
  ])
  const isGone = !snapshot || !(await hasPages(context, snapshot))
  return { chain, set: set?.value, snapshot: isGone ? undefined : snapshot }
}

/** A snapshot of which every page is gone has expired. If only some are missing, it is damaged. */
async function hasPages({ changes }: CompareContext, { entity, runId, pages }: Manifest): Promise<boolean> {
  if (pages.length === 0) return true
  const keys = new Set(pages.map(({ key }) => key))
  for await (const key of changes.listObjects(runPrefix(entity, runId))) if (keys.has(key)) return true
  return false
}
