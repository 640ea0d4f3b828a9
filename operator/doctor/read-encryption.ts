import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { changesLatestKey, changesPrefix } from '../../stored/changes/change-keys.ts'
import { latestKey, runPrefix, snapshotsPrefix } from '../../stored/snapshots/manifest.ts'
import { tableLatestKey, tablePrefix } from '../../stored/tables/table.ts'
import type { ObjectKeys } from '../aws/object-keys.aws.ts'
import type { EncryptionFact } from './facts.ts'

/** An entity, and the run of its published snapshot. */
export interface EncryptedEntity {
  readonly name: string
  readonly runId: string | undefined
}

const maxConcurrentEntities = 12
/** Of each folder of an entity. */
const sampleSize = 4

/**
 * The KMS keys that encrypt a sample of the stored objects: of each entity what readers begin with, the published
 * snapshot, and objects of each of its folders, the oldest included. At most 19 objects and 4 listings of an entity.
 */
export async function readEncryption(
  { firstKeys, kmsKeyOf }: ObjectKeys,
  entities: readonly EncryptedEntity[],
): Promise<EncryptionFact[]> {
  const found = await mapPooled(entities, maxConcurrentEntities, async ({ name, runId }) => {
    const prefixes = [snapshotsPrefix(name), changesPrefix(name), tablePrefix(name)]
    if (runId !== undefined) prefixes.push(runPrefix(name, runId))
    const listed = await Promise.all(prefixes.map(firstKeys))
    const begin = [latestKey(name), changesLatestKey(name), tableLatestKey(name)]
    const keys = new Set([...begin, ...listed.flatMap(sampleOf)])
    return mapPooled([...keys], sampleSize, async (key) => ({
      entity: name,
      object: key,
      kmsKey: await kmsKeyOf(key),
    }))
  })
  return found.flat()
}

/** Evenly spread, with the first and the last key. */
function sampleOf(keys: readonly string[]): string[] {
  const step = (keys.length - 1) / (sampleSize - 1)
  return Array.from({ length: sampleSize }, (_, index) => keys[Math.round(index * step)]).flatMap(
    (key) => key ?? [],
  )
}
