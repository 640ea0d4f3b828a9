import type { createObjectVersionStore, ObjectVersion } from '../../stored/object-versions.aws.ts'
import type { openObjects } from '../../stored/objects.aws.ts'
import { entityPrefixes } from '../../stored/snapshots/manifest.ts'

export interface EntityBucket {
  readonly versions: Pick<ReturnType<typeof createObjectVersionStore>, 'listVersions' | 'deleteVersions'>
  readonly objects: Pick<ReturnType<typeof openObjects>, 'listKeys' | 'deleteKeys'>
}

export interface FoundObjects {
  /** Includes objects of which only older versions exist. */
  readonly keys: readonly string[]
  /** Empty in a bucket without versions. */
  readonly versions: readonly ObjectVersion[]
}

const prefixesOf = (entity: string) => [
  // Readers start here: they find nothing instead of a snapshot that is being deleted.
  `snapshots/${entity}/latest.json`,
  `changes/${entity}/latest.json`,
  ...entityPrefixes(entity),
]

/** Everything in the bucket that belongs to an entity, in the order in which it is deleted. */
export async function findObjects(
  entity: string,
  { versions, objects }: EntityBucket,
): Promise<FoundObjects> {
  const found = new Map<string, ObjectVersion>()
  const keys = new Set<string>()
  for (const prefix of prefixesOf(entity)) {
    for await (const page of versions.listVersions(prefix))
      for (const version of page) found.set(`${version.key} ${version.versionId}`, version)
    for await (const key of objects.listKeys(prefix)) keys.add(key)
  }
  for (const { key } of found.values()) keys.add(key)
  return { keys: [...keys], versions: [...found.values()] }
}

/** Deletes all of it, in batches before each of which `onProgress` may throw. */
export async function deleteObjects(
  { keys, versions }: FoundObjects,
  bucket: EntityBucket,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const total = versions.length
  await bucket.versions.deleteVersions(versions, (done) => onProgress(done, total))
  onProgress(total, total)
  // On an object with versions this would leave a delete marker.
  const withVersions = new Set(versions.map(({ key }) => key))
  await bucket.objects.deleteKeys(keys.filter((key) => !withVersions.has(key)))
}
