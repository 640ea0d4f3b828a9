import { createHash } from 'node:crypto'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3ServiceException,
} from '@aws-sdk/client-s3'

export interface StoredObject {
  readonly body: Buffer
  readonly etag: string
  /** Absent of what a test stored by hand. */
  readonly writtenAt?: Date
  readonly kmsKey?: string | undefined
}

export interface StoredVersion {
  readonly key: string
  readonly versionId: string
  readonly body: Buffer
  readonly writtenAt: Date
}

/** One bucket at the level of the client's `send`, with the conditional PUTs and strong consistency of S3. */
export class MemoryS3 {
  /** Called before a write takes effect. */
  onWrite:
    | ((key: string, change: { before: StoredObject | undefined; after: StoredObject | undefined }) => void)
    | undefined
  /** Keys per page of a list; 1,000 in the real service. */
  pageKeys: number
  /** Whether DeleteObjects reports an error for a key. */
  isDeleteRefused: (key: string) => boolean = () => false
  /** How many of this number of keys the next page of a list has. */
  shortened: (keys: number) => number = (keys) => keys
  readonly objects = new Map<string, StoredObject>()
  /** Every version that was not deleted, oldest first. Only if `now` is set, as of a versioned bucket. */
  versions: StoredVersion[] = []
  /** When versions are written. */
  now: (() => number) | undefined
  /** When objects are written. */
  clock = (): number => this.now?.() ?? Date.now()
  #written = 0

  constructor(pageKeys = 1000) {
    this.pageKeys = pageKeys
  }

  /** Takes over the content of another bucket. */
  copyFrom(other: MemoryS3): void {
    for (const [key, object] of other.objects) this.objects.set(key, object)
    this.versions = [...other.versions]
    this.#written = other.#written
  }

  /** The signature of the real client. */
  async send(command: object): Promise<object> {
    return this.execute(command)
  }

  /** Does some work before this object is written next. */
  beforePut(key: string, work: () => unknown): void {
    this.send = async (command) => {
      if (command instanceof PutObjectCommand && command.input.Key === key) {
        Reflect.deleteProperty(this, 'send')
        await work()
      }
      return this.execute(command)
    }
  }

  /** Throws what the real client would reject with. */
  execute(command: object): object {
    if (command instanceof PutObjectCommand) return this.#put(command.input)
    if (command instanceof GetObjectCommand) {
      const { Key = '', VersionId } = command.input
      return VersionId === undefined ? this.#get(Key) : this.#getVersion(Key, VersionId)
    }
    if (command instanceof HeadObjectCommand) return this.#head(command.input.Key ?? '')
    if (command instanceof ListObjectsV2Command) return this.#list(command.input)
    if (command instanceof ListObjectVersionsCommand) return this.#listVersions(command.input)
    if (command instanceof DeleteObjectsCommand) {
      const { Objects = [] } = command.input.Delete ?? {}
      if (Objects.length === 0 || Objects.length > 1000) throw failure('MalformedXML', 400)
      const failed = Objects.filter(({ Key = '' }) => this.isDeleteRefused(Key))
      for (const object of Objects) {
        const { Key = '', VersionId } = object
        if (failed.includes(object)) continue
        if (VersionId === undefined) this.#write(Key, undefined)
        else this.#deleteVersion(Key, VersionId)
      }
      return failed.length > 0 ? { Errors: failed.map(({ Key }) => ({ Key, Code: 'InternalError' })) } : {}
    }
    throw new Error(`The double does not support ${command.constructor.name}.`)
  }

  #put(input: PutObjectCommandInput): object {
    const { Key = '', IfMatch, IfNoneMatch, ChecksumSHA256, SSEKMSKeyId } = input
    const body =
      typeof input.Body === 'string' ? Buffer.from(input.Body) : Buffer.from(input.Body as Uint8Array)
    const there = this.objects.get(Key)
    if (IfNoneMatch === '*' && there) throw failure('PreconditionFailed', 412)
    // S3 user guide, "Conditional writes": If-Match on a missing key is a 404.
    if (IfMatch !== undefined && !there) throw failure('NoSuchKey', 404)
    if (IfMatch !== undefined && there?.etag !== IfMatch) throw failure('PreconditionFailed', 412)
    if (ChecksumSHA256 !== undefined && ChecksumSHA256 !== createHash('sha256').update(body).digest('base64'))
      throw failure('BadDigest', 400)
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    this.#write(Key, { body, etag, writtenAt: new Date(this.clock()), kmsKey: SSEKMSKeyId })
    return { ETag: etag }
  }

  #get(key: string): object {
    const there = this.objects.get(key)
    if (!there)
      throw new NoSuchKey({
        message: 'The specified key does not exist.',
        $metadata: { httpStatusCode: 404 },
      })
    return {
      ETag: there.etag,
      ContentLength: there.body.length,
      Body: inOneChunk(Buffer.from(there.body)),
    }
  }

  #getVersion(key: string, versionId: string): object {
    const version = this.versions.find((one) => one.key === key && one.versionId === versionId)
    if (!version) throw failure('NoSuchVersion', 404)
    return { ContentLength: version.body.length, Body: inOneChunk(Buffer.from(version.body)) }
  }

  #head(key: string): object {
    const there = this.objects.get(key)
    if (!there) throw new NotFound({ message: 'Not Found', $metadata: { httpStatusCode: 404 } })
    return { ETag: there.etag, ContentLength: there.body.length, SSEKMSKeyId: there.kmsKey }
  }

  #list(input: ListObjectsV2CommandInput): object {
    const { Prefix = '', Delimiter, ContinuationToken, MaxKeys = this.pageKeys } = input
    if (Delimiter) return { CommonPrefixes: foldersOf([...this.objects.keys()], Prefix) }
    const from = Buffer.from(ContinuationToken?.slice(tokenPrefix.length) ?? '', 'base64').toString()
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(Prefix) && key > from).toSorted()
    const page = keys.slice(0, this.shortened(Math.min(MaxKeys, this.pageKeys, keys.length)))
    const truncated = page.length < keys.length
    return {
      KeyCount: page.length,
      IsTruncated: truncated,
      ...(page.length > 0 && {
        Contents: page.map((Key) => {
          const { body, etag, writtenAt } = this.objects.get(Key) ?? {}
          return { Key, ETag: etag, Size: body?.length, LastModified: writtenAt }
        }),
      }),
      ...(truncated && {
        NextContinuationToken: `${tokenPrefix}${Buffer.from(page.at(-1) ?? from).toString('base64')}`,
      }),
    }
  }

  /** A page may end between two versions of one key. */
  #listVersions(input: ListObjectVersionsCommandInput): object {
    const { Prefix = '', Delimiter, KeyMarker = '', VersionIdMarker } = input
    const ofKeys = Map.groupBy(this.versions, ({ key }) => key)
    const keys = [...ofKeys.keys()].toSorted()
    if (Delimiter) return { CommonPrefixes: foldersOf(keys, Prefix) }
    const listed = keys
      .filter((key) => key.startsWith(Prefix) && key >= KeyMarker)
      .flatMap((key) =>
        (ofKeys.get(key) ?? []).toReversed().map(({ versionId, writtenAt }, index) => ({
          Key: key,
          VersionId: versionId,
          IsLatest: index === 0 && this.objects.has(key),
          LastModified: writtenAt,
        })),
      )
    const isMarked = ({ Key, VersionId }: (typeof listed)[number]) =>
      Key === KeyMarker && (VersionIdMarker === undefined || VersionId === VersionIdMarker)
    // Without a version the marker means all versions of its key.
    const left = listed.slice(listed.findLastIndex(isMarked) + 1)
    const page = left.slice(0, this.pageKeys)
    const last = page.at(-1)
    const isTruncated = page.length < left.length
    return {
      Versions: page,
      ...(isTruncated && {
        IsTruncated: true,
        NextKeyMarker: last?.Key,
        NextVersionIdMarker: last?.VersionId,
      }),
    }
  }

  #deleteVersion(key: string, versionId: string): void {
    const isLatest = this.versions.findLast((version) => version.key === key)?.versionId === versionId
    if (isLatest) this.objects.delete(key)
    this.versions = this.versions.filter((version) => version.versionId !== versionId)
  }

  #write(key: string, after: StoredObject | undefined): void {
    this.onWrite?.(key, { before: this.objects.get(key), after })
    if (after && this.now)
      this.versions.push({
        key,
        versionId: `v${++this.#written}`,
        body: after.body,
        writtenAt: new Date(this.now()),
      })
    if (after) this.objects.set(key, after)
    else this.objects.delete(key)
  }
}

function foldersOf(keys: readonly string[], prefix: string): { readonly Prefix: string }[] {
  const inFolders = keys.filter((key) => key.startsWith(prefix) && key.includes('/', prefix.length))
  const folders = inFolders.map((key) => key.slice(0, key.indexOf('/', prefix.length) + 1))
  return [...new Set(folders)].toSorted().map((Prefix) => ({ Prefix }))
}

/** A token is never empty, not even before the first key. */
const tokenPrefix = 'after:'

function failure(name: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({ name, $fault: 'client', message: name, $metadata: { httpStatusCode } })
}

async function* inOneChunk(bytes: Buffer) {
  yield bytes
}
