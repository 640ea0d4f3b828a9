import type { ObjectVersion, ObjectVersionStore } from '../object-versions.aws.ts'
import { documentFolders } from '../snapshots/manifest.ts'

export interface FindVersionsContext {
  readonly versions: ObjectVersionStore
  /** Throws if too little time is left to continue. */
  readonly checkTime: () => void
}

/** The versions below a prefix that must go. One listing reads 1,000 versions at a time. */
export async function findVersions(
  { versions, checkTime }: FindVersionsContext,
  prefix: string,
  mustGo: (version: ObjectVersion) => boolean,
): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = []
  for await (const page of versions.listVersions(prefix)) {
    checkTime()
    for (const version of page) if (mustGo(version)) found.push(version)
  }
  return found
}

/** The entities that are configured or have objects, old versions included, in the order of their names. */
export async function entitiesToErase({
  versions,
  configured,
}: {
  readonly versions: ObjectVersionStore
  readonly configured: readonly string[]
}): Promise<string[]> {
  const stored = await Promise.all(documentFolders.map((folder) => versions.listFolders(folder)))
  return [...new Set([...configured, ...stored.flat()])].toSorted()
}
