import { describeError } from '../../runtime/log.ts'
import {
  type ChangesLatest,
  type SetManifest,
  type SetSummary,
  setPrefix,
} from '../../state/changes/changes.ts'
import type { CompareContext } from '../context.ts'

/**
 * Lets the Athena table of an entity's change sets list the parts of the sets in the chain, `manifest` being the newest.
 * The set is published even if this fails: the next publication lists what is missing.
 */
export async function updateAthenaTable(
  { changes, log }: Pick<CompareContext, 'changes' | 'log'>,
  chain: ChangesLatest,
  manifest: SetManifest,
): Promise<void> {
  const { entity } = manifest
  try {
    const listed = await changes.readTable(entity)
    const keysOfSet = async ({ runId }: SetSummary): Promise<readonly string[]> => {
      if (runId === manifest.runId) return partKeys(manifest)
      const known = listed.filter((key) => key.startsWith(setPrefix(entity, runId)))
      return known.length > 0 ? known : partKeys((await changes.readManifest(entity, runId))?.value)
    }
    const keys = await Promise.all(chain.sets.filter(hasRecords).map(keysOfSet))
    await changes.writeTable(entity, keys.flat())
  } catch (error) {
    log('ERROR', 'change set table not updated', { entity, error: describeError(error) })
  }
}

const hasRecords = ({ created, updated, deleted }: SetSummary) => created + updated + deleted > 0
const partKeys = (manifest: SetManifest | undefined) => manifest?.parts.map(({ key }) => key) ?? []
