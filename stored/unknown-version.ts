interface Versions {
  readonly found: unknown
  /** The one that this release writes and reads. */
  readonly known: number
  /** What to do if an older release wrote it. */
  readonly fixOfOlder: string
}

/** Another release of Longshore wrote something in a format that this one cannot read. */
export class UnknownVersion extends Error {
  override readonly name: string = 'UnknownVersion'
  readonly problem: string
  readonly fix: string

  constructor(what: string, { found, known, fixOfOlder }: Versions) {
    const isNewer = typeof found === 'number' && found > known
    const fix = isNewer ? 'deploy the release that wrote it, or a newer one' : fixOfOlder
    const problem = `Cannot read ${what}: its version is ${String(found)} and this release of Longshore reads version ${known}.`
    super(`${problem} To fix this, ${fix}.`)
    this.problem = problem
    this.fix = fix
  }
}

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
