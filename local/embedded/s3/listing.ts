/** A key, or a version of one. Version ids grow, and a newer version is listed before an older one. */
export interface Listed {
  readonly key: string
  readonly versionId: string
}

export interface WantedListing {
  readonly prefix: string
  /** Empty if keys are not grouped. */
  readonly delimiter: string
  /** The last entry of the previous page. With an empty `versionId`, the last version of its key. */
  readonly after: Listed
  readonly maxKeys: number
}

export interface ListingPage<E extends Listed> {
  readonly entries: readonly E[]
  readonly commonPrefixes: readonly string[]
  /** The last entry of this page, if there is another page. */
  readonly next: Listed | undefined
}

/** One page of a listing. Entries are in the order of `compareEntries`. */
export function listingPage<E extends Listed>(
  all: readonly E[],
  { prefix, delimiter, after, maxKeys }: WantedListing,
): ListingPage<E> {
  const entries: E[] = []
  const commonPrefixes: string[] = []
  let last: Listed | undefined
  for (const entry of all) {
    if (!entry.key.startsWith(prefix) || compareEntries(entry, after) <= 0) continue
    const end = delimiter === '' ? -1 : entry.key.indexOf(delimiter, prefix.length)
    const group = end < 0 ? undefined : entry.key.slice(0, end + delimiter.length)
    const isNew = group === undefined || group !== commonPrefixes.at(-1)
    if (isNew && entries.length + commonPrefixes.length >= maxKeys)
      return { entries, commonPrefixes, next: last }
    if (group === undefined) entries.push(entry)
    else if (isNew) commonPrefixes.push(group)
    last = entry
  }
  return { entries, commonPrefixes, next: undefined }
}

/** Keys in the order of their UTF-8 bytes, the newest version first. */
export function compareEntries(one: Listed, other: Listed): number {
  if (one.key !== other.key) return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key))
  if (one.versionId === other.versionId) return 0
  return one.versionId > other.versionId ? -1 : 1
}
