import { describeError, type Log } from '../../functions/runtime/log.ts'
import type { Stored } from '../objects.aws.ts'
import { recordsOf } from './chain-facts.ts'
import { setPrefix } from './change-keys.ts'
import type { ChangeSetStore } from './change-sets.aws.ts'
import type { SetManifest } from './changes.ts'

/** What the list is made of. */
export interface ListedChanges extends Pick<ChangeSetStore, 'readLatest' | 'readTable' | 'writeTable'> {
  readonly readManifest: (entity: string, runId: string) => Promise<Stored<SetManifest> | undefined>
}

/**
 * Lets the Athena table of an entity's change sets list the parts of the sets in the chain. `known` may be one of them.
 * A set is published even if this fails: the next publication lists what is missing.
 */
export async function updateAthenaTable(
  { changes, log }: { readonly changes: ListedChanges; readonly log: Log },
  entity: string,
  known?: SetManifest,
): Promise<void> {
  try {
    for (let isListed = false; !isListed; ) isListed = await listParts(changes, entity, known)
  } catch (error) {
    log('ERROR', 'change set table not updated', { entity, error: describeError(error) })
  }
}

/** False if another comparison has written the list at the same time. */
async function listParts(
  changes: ListedChanges,
  entity: string,
  known: SetManifest | undefined,
): Promise<boolean> {
  const listed = await changes.readTable(entity)
  const listedOf = Map.groupBy(listed?.value ?? [], (key) => key.slice(0, key.lastIndexOf('/') + 1))
  // Read after the list: if the tip moves after this, the list is written by another comparison, or after this one.
  const chain = await changes.readLatest(entity)
  // Somebody deleted the chain: until the next publication there is nothing to list.
  if (!chain) return true
  const keysOfSet = async ({ runId }: Pick<SetManifest, 'runId'>): Promise<readonly string[]> => {
    if (runId === known?.runId) return partKeys(known)
    return (
      listedOf.get(setPrefix(entity, runId)) ?? partKeys((await changes.readManifest(entity, runId))?.value)
    )
  }
  const keys = await Promise.all(chain.value.sets.filter((set) => recordsOf(set) > 0).map(keysOfSet))
  return changes.writeTable(entity, keys.flat(), listed ?? 'absent')
}

const partKeys = (manifest: SetManifest | undefined) => manifest?.parts.map(({ key }) => key) ?? []
