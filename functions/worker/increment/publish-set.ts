import { announceSets } from '../../../stored/chain/announce-set.ts'
import type { IncrementManifest } from '../../../stored/changes/changes.ts'
import type { SetRequest } from '../../../stored/changes/publication.ts'
import type { StepContext } from '../context.ts'
import { comparing } from './admission.ts'
import { failWith, skipWith } from './end.ts'
import { type FoundChanges, proposalOf, storeProposal } from './store-set.ts'

type PublishContext = Pick<StepContext, 'changes' | 'publisher' | 'publishEvent' | 'log' | 'now'>

/**
 * Lets the publisher publish the set of an increment, or only move the window if there was nothing new. Throws `Stopped`
 * if it does not, as after the chain has changed since the increment read it.
 */
export async function publishIncrement(
  context: PublishContext,
  found: FoundChanges,
): Promise<IncrementManifest | undefined> {
  const { session, chain, selection } = found
  const { name } = session.entity
  if (selection.records === 0) {
    await publishProposal(context, found, proposalOf(found))
    return undefined
  }
  const tip = await context.changes.readManifest(name, chain.tip)
  if (!tip) throw skipWith('snapshot-gone', "The tip's change set is gone. Start a full sync.")
  const proposal = await storeProposal(context, found, tip)
  await announceSets(context, name, await publishProposal(context, found, proposal))
  // As published, since another worker of the run may have proposed it.
  const set = (await context.changes.readManifest(name, session.runId))?.value
  if (set?.kind !== 'increment') throw new Error(`The set of the run ${session.runId} is gone.`)
  return set
}

/** Returns the runs whose events must be sent. */
async function publishProposal(
  { publisher, now }: PublishContext,
  { session }: FoundChanges,
  proposal: SetRequest['proposal'],
): Promise<readonly string[]> {
  const set = { entity: session.entity.name, runId: session.runId }
  for (let request: SetRequest = { ...set, proposal }; ; request = set) {
    await session.beginPublishing()
    const result = await publisher.publishSet(request)
    switch (result.kind) {
      case 'published':
        return result.unannounced
      case 'checking':
        if (now() < session.deadline) continue
        throw failWith('The changes cannot be checked in time. Start a full sync.')
      case 'outdated':
        throw skipWith('chain-moved', 'The change sets have changed since it began.')
      case 'comparing':
        throw comparing()
      case 'refused':
        throw failWith(result.reason)
      case 'damaged':
        throw failWith(result.reason, result.cause)
    }
  }
}
