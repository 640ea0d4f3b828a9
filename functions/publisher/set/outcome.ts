import type { SetRequest, SetResult } from '../../../stored/changes/publication.ts'
import { checkedSetKey } from '../../../stored/snapshots/manifest.ts'
import type { Publisher } from '../ports.ts'

/** How the check of a proposal ended that was not published. `at` is in epoch milliseconds. */
interface Outcome {
  readonly version: 1
  readonly proposal: string
  readonly at: number
  readonly result: SetResult
}

/** Stores it for a caller that no longer waits, with the checks of the snapshot that the set leads to. */
export async function storeOutcome(
  { objects, now }: Publisher,
  { entity, runId, proposal }: SetRequest,
  result: SetResult,
): Promise<void> {
  if (typeof proposal !== 'string' || result.kind === 'published' || result.kind === 'checking') return
  const outcome: Outcome = { version: 1, proposal, at: now(), result }
  const content = { body: JSON.stringify(outcome), type: 'application/json' } as const
  await objects.put(checkedSetKey(entity, runId), content)
}

/** Undefined unless such a check has ended since the proposal was made. */
export async function readOutcome(
  { objects }: Publisher,
  { entity, runId, proposed }: SetRequest,
): Promise<SetResult | undefined> {
  const stored = proposed && (await objects.read(checkedSetKey(entity, runId)))
  if (!stored) return undefined
  const { proposal, at, result } = JSON.parse(stored.bytes.toString()) as Outcome
  return proposal === proposed.key && at >= proposed.at ? result : undefined
}
