import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { finishTip, markOff } from './chain/publish.ts'
import { compareWithTip, refusal } from './compare-with-tip.ts'
import { type CompareContext, type CompareJob, type CompareRequest, jobOf } from './context.ts'
import { ComparisonFailed } from './failure.ts'
import type { ComparisonResult } from './result.ts'
import { readReview } from './review.ts'

/** Each further round means that another comparison of the entity has moved the tip. */
const maxRounds = 5

/**
 * Compares the published snapshot of an entity with the tip and publishes the change set. It can be repeated after a
 * crash at any point and can run twice at the same time: the tip moves only from the state that was compared.
 */
export async function compareEntity(
  context: CompareContext,
  settings: EntitySettings,
  request: CompareRequest,
): Promise<ComparisonResult> {
  const job = jobOf(settings, request)
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
  if (review.kind === 'unacceptable') return refusal(job, { runId, chain: chain?.value }, review.reason)
  return compareWithTip(context, job, { runId, sha256, chain: chain?.value, review })
}
