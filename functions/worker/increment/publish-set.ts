import { isDeepStrictEqual } from 'node:util'
import { markAnnounced, sendSetEvent, type WrittenSet } from '../../chain/announce-set.ts'
import { updateAthenaTable } from '../../state/changes/athena-table.ts'
import { extendByIncrement, moveWindow } from '../../state/changes/change-chain.ts'
import type { IncrementManifest, SetManifest } from '../../state/changes/changes.ts'
import type { ChangesLatest } from '../../state/changes/changes-latest.ts'
import type { StoredManifest } from '../../state/objects.aws.ts'
import type { StepContext } from '../context.ts'
import { comparing, isComparing } from './admission.ts'
import { skipped } from './end.ts'
import { type FoundChanges, storeSet } from './store-set.ts'

type PublishContext = Pick<StepContext, 'changes' | 'publishEvent' | 'log' | 'now'>

/**
 * Publishes the set of an increment, or only moves the window if there was nothing new. One write of `latest.json`
 * decides. Throws `Stopped` if the chain has changed since the increment read it.
 */
export async function publishIncrement(
  context: PublishContext,
  found: FoundChanges,
): Promise<IncrementManifest | undefined> {
  const { session, chain } = found
  const { name, changes } = session.entity
  const ended = { ...found, keepDays: changes === false ? 0 : changes.keepDays, now: context.now() }
  if (found.selection.records === 0) {
    await session.beginPublishing()
    await moveChain(context, found, (chain) => moveWindow(chain, ended))
    return undefined
  }
  const tip = await context.changes.readManifest(name, chain.value.tip)
  if (!tip) throw skipped('snapshot-gone', "The tip's change set is gone. Start a full sync.")
  const set = await storeSet(context, found, tip)
  const { manifest } = set
  await session.beginPublishing()
  await moveChain(context, found, (chain) => extendByIncrement(chain, manifest, ended))
  await announce(context, { set, tip, before: chain.value })
  return manifest
}

/** Changes the chain if it is still the one that the increment began with, apart from notes about it. */
async function moveChain(
  { changes, now }: PublishContext,
  { session, chain: begun }: FoundChanges,
  change: (chain: ChangesLatest) => ChangesLatest,
): Promise<void> {
  for (let current = begun; ; ) {
    const next = change(current.value)
    if (await changes.writeLatest(session.entity.name, next, current)) return
    const stored = await changes.readLatest(session.entity.name)
    const isSame =
      stored?.value.tip === begun.value.tip &&
      stored.value.reset === begun.value.reset &&
      isDeepStrictEqual(stored.value.window, begun.value.window)
    if (!isSame) throw skipped('chain-moved', 'The change sets have changed since it began.')
    if (isComparing(stored.value, now())) throw comparing()
    await session.beginPublishing()
    current = stored
  }
}

interface Announcement {
  readonly set: WrittenSet<IncrementManifest>
  readonly tip: StoredManifest<SetManifest>
  /** The chain before the increment. */
  readonly before: ChangesLatest
}

/** The set is published even if this fails: readers can also poll, and the next increment sends the event again. */
async function announce(context: PublishContext, { set, tip, before }: Announcement): Promise<void> {
  const { manifest } = set
  await updateAthenaTable(context, manifest.entity, manifest)
  // The worker that published the previous set may have stopped before it sent the event.
  if (!before.announced) await sendSetEvent(context, { ...tip, manifest: tip.value })
  if (await sendSetEvent(context, set)) await markAnnounced(context, manifest)
}
