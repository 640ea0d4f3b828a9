import { isDeepStrictEqual } from 'node:util'
import { withoutComparison } from '../../state/changes/change-chain.ts'
import type { ChangesLatest } from '../../state/changes/changes-latest.ts'
import type { Stored } from '../../state/objects.aws.ts'
import type { CompareContext, CompareJob } from '../context.ts'

/** Lambda has ended a comparison by then. */
const maxComparisonMs = 16 * 60_000

/**
 * Records that a comparison is in progress, so that no increment moves the tip until it has ended. Returns the stored
 * chain. `outdated`: another comparison or an increment has changed it.
 */
export async function beginComparison(
  { changes, now }: Pick<CompareContext, 'changes' | 'now'>,
  { entity, increments }: CompareJob,
  { chain, runId }: { readonly chain: Stored<ChangesLatest>; readonly runId: string },
): Promise<Stored<ChangesLatest> | 'outdated'> {
  if (!increments) return chain
  const until = new Date(now() + maxComparisonMs).toISOString()
  const marked: ChangesLatest = { ...chain.value, comparing: { runId, until } }
  if (!(await changes.writeLatest(entity, marked, chain))) return 'outdated'
  const stored = await changes.readLatest(entity)
  return stored && isDeepStrictEqual(stored.value, marked) ? stored : 'outdated'
}

/**
 * Lets increments continue after a comparison that did not move the tip. Without this call they wait until the
 * comparison's time is up.
 */
export async function endComparison(
  { changes }: Pick<CompareContext, 'changes'>,
  entity: string,
  chain: Stored<ChangesLatest>,
): Promise<void> {
  if (!chain.value.comparing) return
  await changes.writeLatest(entity, withoutComparison(chain.value), chain).catch(() => false)
}
