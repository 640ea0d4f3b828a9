import { UnknownVersion } from './unknown-version.ts'

/** The format of the manifests of snapshots and change sets that this release writes and reads. */
export const manifestVersion = 1

/** A manifest in a format that this release cannot read. */
export class UnknownManifestVersion extends UnknownVersion {
  override readonly name = 'UnknownManifestVersion'

  constructor(key: string, version: unknown) {
    super(`the manifest ${key}`, {
      found: version,
      known: manifestVersion,
      fixOfOlder: 'restore the object from an earlier version in the bucket',
    })
  }
}
