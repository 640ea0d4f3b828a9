import { setManifestKey } from '../changes/change-keys.ts'
import type { ChangeSetStore } from '../changes/change-sets.aws.ts'
import type { SetManifest } from '../changes/changes.ts'
import type { SetPublisher } from '../changes/publication.ts'
import { type ChangesEvent, type EventSender, sendEvent } from '../events.ts'
import type { StoredManifest } from '../objects.aws.ts'

const noChanges = { created: 0, updated: 0, deleted: 0, withheld: 0 }

type AnnounceContext = EventSender<ChangesEvent> & {
  readonly changes: Pick<ChangeSetStore, 'readManifest'>
  readonly publisher: Pick<SetPublisher, 'note'>
}

/**
 * Sends the events of sets that have been the tip, oldest first: what published an earlier one may have stopped. If the
 * chain moves at the same time, the event is sent again.
 */
export async function announceSets(
  context: AnnounceContext,
  entity: string,
  runs: readonly string[],
): Promise<void> {
  let isSent = false
  for (const runId of runs) {
    const set = await context.changes.readManifest(entity, runId)
    isSent = set !== undefined && (await sendSetEvent(context, set))
  }
  const tip = runs.at(-1)
  if (isSent && tip !== undefined) await context.publisher.note({ entity, tip, note: { kind: 'announced' } })
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
