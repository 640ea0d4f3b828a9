import { type Manifest, runOfManifestKey, snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
import type { Checker } from '../ports.ts'
import type { ChangesToCheck } from './changes-to-check.ts'
import { checkMembers } from './check-members.ts'

/**
 * Compares what a set says about the age of its content: since when it is absent from snapshots. Erasure takes a set that
 * says nothing as the oldest. `carriesWithheld`: whether it withholds again what the base withheld.
 */
export async function checkContentAge(
  publisher: Checker,
  { tip, target, proposal }: ChangesToCheck,
  carriesWithheld: boolean,
): Promise<void> {
  const { absentSince, withheldSince, withheldParts } = proposal
  if (absentSince === undefined && withheldSince === undefined) return
  const isClaimed = [absentSince, withheldSince].includes(target.runId)
  const isNext = isClaimed && (await isNextSnapshot(publisher, target, tip.snapshot.runId))
  const first = isNext ? target.runId : tip.snapshot.runId
  const ofBase = tip.set.kind === 'reset' ? undefined : tip.set.withheldSince
  const since = tip.set.withheldParts.length === 0 ? first : ofBase
  const ofWithheld = carriesWithheld ? since : first
  checkMembers(proposal, {
    absentSince: since,
    withheldSince: withheldParts.length === 0 ? undefined : ofWithheld,
  })
}

/** Whether no run between the base and this one has left anything. Otherwise its snapshot may have lacked the content before. */
async function isNextSnapshot({ objects }: Checker, { entity, runId }: Manifest, base: string) {
  for await (const { key } of objects.list(snapshotsPrefix(entity))) {
    const run = runOfManifestKey(key)
    if (run >= runId) break
    if (run > base) return false
  }
  return true
}
