import { setManifestKey } from '../state/changes/change-keys.ts'
import type { ChangeSetStore } from '../state/changes/change-sets.aws.ts'
import type { SetManifest } from '../state/changes/changes.ts'
import { type ChangesEvent, type EventSender, sendEvent } from '../state/events.ts'

const noChanges = { created: 0, updated: 0, deleted: 0, withheld: 0 }

/** A set whose manifest is stored, with the SHA-256 (hex) of that. */
export interface WrittenSet<Set extends SetManifest = SetManifest> {
  readonly manifest: Set
  readonly sha256: string
}

/** Sends the event of a set. False if it was not sent. */
export function sendSetEvent(
  sender: EventSender<ChangesEvent>,
  { manifest: set, sha256 }: WrittenSet,
): Promise<boolean> {
  const { entity, base, runId, kind, by } = set
  const { created, updated, deleted, withheld } = set.kind === 'changes' ? set : noChanges
  const records = set.kind === 'increment' && { records: set.records }
  const counts = { created, updated, deleted, withheld, ...records }
  const manifest = setManifestKey(entity, runId)
  const detail = { entity, base, runId, kind, ...counts, manifest, sha256, ...(by && { by }) }
  return sendEvent(sender, { type: 'Changes Published', detail })
}

/**
 * Records that the event of the set at the tip was sent. If the chain is written at the same time, the event is sent
 * again.
 */
export async function markAnnounced(
  { changes }: { readonly changes: Pick<ChangeSetStore, 'readLatest' | 'writeLatest'> },
  { entity, runId }: SetManifest,
): Promise<void> {
  const chain = await changes.readLatest(entity)
  if (chain?.value.tip !== runId) return
  await changes.writeLatest(entity, { ...chain.value, announced: true }, chain)
}
