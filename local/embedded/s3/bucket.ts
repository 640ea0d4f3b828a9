import { renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { ContentVersion, Journal, ObjectContent, Version, VersionContent } from './journal.ts'
import { compareEntries } from './listing.ts'
import { noSuchKey, S3Error } from './s3-error.ts'

/** What must be stored, or must not, for a write. */
export interface WriteCondition {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** A bucket that keeps versions. Only this process writes to it, and each change is one step. */
export class Bucket {
  readonly #journal: Journal
  /** The versions of each key, newest first. */
  readonly #versions: Map<string, Version[]>
  #sorted: readonly Version[] | undefined
  #lastId: number
  #uploads = 0

  constructor(journal: Journal) {
    this.#journal = journal
    this.#versions = Map.groupBy(journal.versions.toReversed(), ({ key }) => key)
    this.#lastId = journal.versions.reduce((last, { versionId }) => Math.max(last, Number(versionId)), 0)
  }

  /** Every version, in the order of listings. */
  get versions(): readonly Version[] {
    this.#sorted ??= [...this.#versions.values()].flat().toSorted(compareEntries)
    return this.#sorted
  }

  latest(key: string): Version | undefined {
    return this.#versions.get(key)?.[0]
  }

  find(key: string, versionId: string): Version | undefined {
    return this.#versions.get(key)?.find((version) => version.versionId === versionId)
  }

  /** The object with this key, or one of its versions. Throws `S3Error` if there is none. */
  object(key: string, versionId: string | null): ContentVersion {
    const version = versionId === null ? this.latest(key) : this.find(key, versionId)
    if (version?.kind === 'object') return version
    const marker = { 'x-amz-delete-marker': 'true' }
    if (versionId === null) throw noSuchKey(version && marker)
    if (version) throw new S3Error('MethodNotAllowed', 'A delete marker has no content.', marker)
    throw new S3Error('NoSuchVersion', 'The specified version does not exist.')
  }

  fileOf({ versionId }: ContentVersion): string {
    return this.#journal.fileOf(versionId)
  }

  /** A new file for content that arrives. It is deleted at the next start if it never becomes a version. */
  uploadFile(): string {
    return this.#journal.fileOf(`upload-${++this.#uploads}`)
  }

  /** Stores the file of an upload as the latest version of a key, if the condition is true of what is stored. */
  put(
    key: string,
    upload: { readonly file: string; readonly content: ObjectContent },
    condition: WriteCondition,
  ): ContentVersion {
    checkCondition(this.latest(key), condition)
    const version = this.#next(key, upload.content)
    renameSync(upload.file, this.#journal.fileOf(version.versionId))
    return this.#add(version)
  }

  /** Hides an object behind a delete marker. */
  hide(key: string): Version {
    return this.#add(this.#next(key, { kind: 'delete-marker' }))
  }

  async delete({ key, versionId }: Version): Promise<void> {
    this.#journal.append([{ removed: versionId }])
    const left = this.#versions.get(key)?.filter((version) => version.versionId !== versionId) ?? []
    if (left.length > 0) this.#versions.set(key, left)
    else this.#versions.delete(key)
    this.#sorted = undefined
    await rm(this.#journal.fileOf(versionId), { force: true })
  }

  #next<C extends VersionContent>(key: string, content: C): Version<C> {
    const writtenAt = Date.now()
    // Grows, also if two versions are written within a millisecond or the clock is set back.
    this.#lastId = Math.max(this.#lastId + 1, writtenAt * 1000)
    return { ...content, key, versionId: String(this.#lastId), writtenAt }
  }

  #add<V extends Version>(version: V): V {
    this.#journal.append([{ written: version }])
    this.#versions.set(version.key, [version, ...(this.#versions.get(version.key) ?? [])])
    this.#sorted = undefined
    return version
  }
}

/** S3 user guide, "Conditional writes": If-Match of a key that does not exist is a 404. */
function checkCondition(latest: Version | undefined, { ifMatch, ifNoneMatch }: WriteCondition): void {
  const stored = latest?.kind === 'object' ? latest : undefined
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*')
    throw new S3Error('NotImplemented', 'If-None-Match of a PUT must be *.')
  if (ifNoneMatch !== undefined && stored) throw failedCondition
  if (ifMatch === undefined) return
  if (!stored) throw noSuchKey()
  if (!isSameEtag(stored.etag, ifMatch)) throw failedCondition
}

export const failedCondition = new S3Error(
  'PreconditionFailed',
  'At least one of the pre-conditions you specified did not hold.',
)

export const isSameEtag = (one: string, other: string) =>
  one.replaceAll('"', '') === other.replaceAll('"', '')
