import { setManifestKey } from '../state/changes/change-keys.ts'
import type { ChangeSetStore } from '../state/changes/change-sets.aws.ts'
import type { SetManifest } from '../state/changes/changes.ts'
import type { SetPublisher } from '../state/changes/proposal.ts'
import { type ChangesEvent, type EventSender, sendEvent } from '../state/events.ts'
import type { StoredManifest } from '../state/objects.aws.ts'

const noChanges = { created: 0, updated: 0, deleted: 0, withheld: 0 }

type AnnounceContext = EventSender<ChangesEvent> & {
  readonly changes: Pick<ChangeSetStore, 'readManifest'>
  readonly publisher: Pick<SetPublisher, 'note'>
}

/**
 * Sends the event of the set at the tip, and before it that of the set of the run `unannounced`: what published that may
 * have stopped. If the chain moves at the same time, the event is sent again.
 */
export async function announceSet(
  context: AnnounceContext,
  set: StoredManifest<SetManifest>,
  unannounced: string | null,
): Promise<void> {
  const { entity, runId } = set.value
  const before = unannounced === null ? undefined : await context.changes.readManifest(entity, unannounced)
  if (before) await sendSetEvent(context, before)
  if (await sendSetEvent(context, set))
    await context.publisher.note({ entity, tip: runId, note: { kind: 'announced' } })
}

/** Sends the event of a set. False if it was not sent. */
function sendSetEvent(
  sender: EventSender<ChangesEvent>,
  { value: set, sha256 }: StoredManifest<SetManifest>,
): Promise<boolean> {
  const { entity, base, runId, kind, by } = set
  const { created, updated, deleted, withheld } = set.kind === 'changes' ? set : noChanges
  const records = set.kind === 'increment' && { records: set.records }
  const counts = { created, updated, deleted, withheld, ...records }
  const manifest = setManifestKey(entity, runId)
  const detail = { entity, base, runId, kind, ...counts, manifest, sha256, ...(by && { by }) }
  return sendEvent(sender, { type: 'Changes Published', detail })
}
