import type { ObjectVersion, ObjectVersionStore } from '../object-versions.aws.ts'

/** Deletes the versions below a prefix that must go. Returns their number. */
export async function eraseVersions(
  { versions, checkTime }: { readonly versions: ObjectVersionStore; readonly checkTime: () => void },
  prefix: string,
  mustGo: (version: ObjectVersion) => boolean,
): Promise<number> {
  let erased = 0
  for await (const page of versions.listVersions(prefix)) {
    checkTime()
    const old = page.filter(mustGo)
    await versions.deleteVersions(old)
    erased += old.length
  }
  return erased
}
