import { createHash } from 'node:crypto'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3ServiceException,
} from '@aws-sdk/client-s3'

export interface StoredObject {
  readonly body: Buffer
  readonly etag: string
}

/** One bucket at the level of the client's `send`, with the conditional PUTs and strong consistency of S3. */
export class MemoryS3 {
  /** Called before a write takes effect. */
  onWrite:
    | ((key: string, change: { before: StoredObject | undefined; after: StoredObject | undefined }) => void)
    | undefined
  /** Keys per page of a list; 1,000 in the real service. */
  pageKeys: number
  /** Whether DeleteObjects reports an error for the next key. */
  isDeleteRefused: () => boolean = () => false
  /** How many of this number of keys the next page of a list has. */
  shortened: (keys: number) => number = (keys) => keys
  readonly objects = new Map<string, StoredObject>()

  constructor(pageKeys = 1000) {
    this.pageKeys = pageKeys
  }

  /** The signature of the real client. */
  async send(command: object): Promise<object> {
    return this.execute(command)
  }

  /** Throws what the real client would reject with. */
  execute(command: object): object {
    if (command instanceof PutObjectCommand) return this.#put(command.input)
    if (command instanceof GetObjectCommand) return this.#get(command.input.Key ?? '')
    if (command instanceof ListObjectsV2Command) return this.#list(command.input)
    if (command instanceof DeleteObjectsCommand) {
      const { Objects = [] } = command.input.Delete ?? {}
      if (Objects.length === 0 || Objects.length > 1000) throw failure('MalformedXML', 400)
      const failed = Objects.filter(() => this.isDeleteRefused())
      for (const object of Objects) if (!failed.includes(object)) this.#write(object.Key ?? '', undefined)
      return failed.length > 0 ? { Errors: failed.map(({ Key }) => ({ Key, Code: 'InternalError' })) } : {}
    }
    throw new Error(`The double does not support ${command.constructor.name}.`)
  }

  #put(input: PutObjectCommandInput): object {
    const { Key = '', IfMatch, IfNoneMatch, ChecksumSHA256 } = input
    const body =
      typeof input.Body === 'string' ? Buffer.from(input.Body) : Buffer.from(input.Body as Uint8Array)
    const there = this.objects.get(Key)
    if (IfNoneMatch === '*' && there) throw failure('PreconditionFailed', 412)
    // S3 user guide, "Conditional writes": If-Match on a missing key is a 404.
    if (IfMatch !== undefined && !there) throw failure('NoSuchKey', 404)
    if (IfMatch !== undefined && there?.etag !== IfMatch) throw failure('PreconditionFailed', 412)
    if (
      ChecksumSHA256 !== undefined &&
      ChecksumSHA256 !== createHash('sha256').update(body).digest('base64')
    ) {
      throw failure('BadDigest', 400)
    }
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    this.#write(Key, { body, etag })
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

  #list({ Prefix = '', ContinuationToken, MaxKeys = this.pageKeys }: ListObjectsV2CommandInput): object {
    const from = Buffer.from(ContinuationToken?.slice(tokenPrefix.length) ?? '', 'base64').toString()
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(Prefix) && key > from).toSorted()
    const page = keys.slice(0, this.shortened(Math.min(MaxKeys, this.pageKeys, keys.length)))
    const truncated = page.length < keys.length
    return {
      KeyCount: page.length,
      IsTruncated: truncated,
      ...(page.length > 0 && {
        Contents: page.map((Key) => ({ Key, Size: this.objects.get(Key)?.body.length })),
      }),
      ...(truncated && {
        NextContinuationToken: `${tokenPrefix}${Buffer.from(page.at(-1) ?? from).toString('base64')}`,
      }),
    }
  }

  #write(key: string, after: StoredObject | undefined): void {
    this.onWrite?.(key, { before: this.objects.get(key), after })
    if (after) this.objects.set(key, after)
    else this.objects.delete(key)
  }
}

/** A token is never empty, not even before the first key. */
const tokenPrefix = 'after:'

function failure(name: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({ name, $fault: 'client', message: name, $metadata: { httpStatusCode } })
}

async function* inOneChunk(bytes: Buffer) {
  yield bytes
}
