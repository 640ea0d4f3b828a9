import type { ObjectVersion, ObjectVersionStore } from '../object-versions.aws.ts'

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
