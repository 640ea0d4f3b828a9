import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { absentIf } from '../functions/runtime/absent-if.ts'
import { BodyBuffer } from '../functions/runtime/body-buffer.ts'
import { clientLimits } from '../functions/runtime/client-limits.ts'
import { deleteObjects } from './delete-objects.aws.ts'
import { manifestVersion, UnknownManifestVersion } from './unknown-version.ts'
import { parseObject } from './unreadable-object.ts'

/** What an object contains, and the ETag that a conditional write names. */
export interface Stored<T> {
  readonly value: T
  readonly etag: string
}

/** A manifest with the SHA-256 (hex) of its bytes. */
export interface StoredManifest<T> extends Stored<T> {
  readonly sha256: string
}

/** What a conditional write expects: no object, or the one with this ETag. */
export type Expected = { readonly etag: string } | 'absent'

type PutCondition = Pick<PutObjectCommandInput, 'IfMatch' | 'IfNoneMatch'>

/** An object to write. */
export interface ObjectText {
  readonly text: string
  readonly type: 'application/json' | 'text/plain'
  /** The Cache-Control header, if any. */
  readonly cacheControl?: 'no-cache'
}

type Written<Bytes = Buffer> = Pick<
  PutObjectCommandInput,
  'ContentType' | 'CacheControl' | 'ChecksumSHA256'
> & { readonly Body: Bytes }

/** As bytes: the SDK sends an empty string without a Content-Length, which S3 requires. */
const written = ({ text, type, cacheControl }: ObjectText): Written => ({
  Body: Buffer.from(text),
  ContentType: type,
  CacheControl: cacheControl,
})

/** JSON that is read as it is now: it may be replaced. */
export const jsonText = (value: object): ObjectText => ({
  text: JSON.stringify(value, null, 1),
  type: 'application/json',
  cacheControl: 'no-cache',
})

/** An object of a listing. */
export interface ListedObject {
  readonly key: string
  /** Epoch milliseconds. */
  readonly writtenAt: number
  readonly bytes: number
  readonly etag: string
}

/** Does not check the checksums of S3: readers verify the hashes in the manifests. */
const createClient = () =>
  new S3Client({ ...clientLimits.bucket, responseChecksumValidation: 'WHEN_REQUIRED' })

export type Wait = (ms: number) => Promise<unknown>

/** Without Content-Encoding, so that readers get the bytes that the manifest's hash is of. */
const gzipOf = (body: Buffer, sha256: Buffer) => ({
  Body: body,
  ContentType: 'application/gzip',
  ChecksumSHA256: sha256.toString('base64'),
})

export function openObjects(bucket: string, client = createClient(), wait: Wait = sleep) {
  async function read(key: string): Promise<Stored<Buffer> | undefined> {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key })
    const got = await client.send(command).catch(absentIf(NoSuchKey))
    if (!got) return undefined
    const body = new BodyBuffer(got.ContentLength?.toString())
    // In Node the SDK returns the response of node:http.
    for await (const chunk of got.Body as IncomingMessage) body.append(chunk)
    return { value: body.bytes(), etag: got.ETag ?? '' }
  }

  async function readText(key: string): Promise<Stored<string> | undefined> {
    const object = await read(key)
    return object && { ...object, value: object.value.toString() }
  }

  /** Throws `UnreadableObject` if the object is not JSON, or lacks one of these members. */
  async function readJson<T>(
    key: string,
    ...members: readonly (keyof T & string)[]
  ): Promise<Stored<T> | undefined> {
    const object = await readText(key)
    return object && { ...object, value: parseObject(object.value, key, members) as T }
  }

  const put = (key: string, wanted: Written<Uint8Array>, condition: PutCondition = {}) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: key, ...wanted, ...condition }))

  /** False if the stored object is not as expected, unless it has the same bytes. */
  async function putIf(key: string, expected: Expected, wanted: Written): Promise<boolean> {
    const condition = expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected.etag }
    for (let conflicts = 0; ; conflicts++) {
      try {
        await put(key, wanted, condition)
        return true
      } catch (error) {
        const refusal = refusalOf(error)
        // The write may have taken effect although its response was lost and the SDK repeated it.
        if (refusal === 'not-as-expected') return (await read(key))?.value.equals(wanted.Body) ?? false
        if (refusal !== 'conflict' || conflicts === maxConflicts) throw error
        await wait((0.5 + Math.random() / 2) * baseWaitMs * 2 ** conflicts)
      }
    }
  }

  /** The pages of a listing. */
  async function* list(
    wanted: Pick<ListObjectsV2CommandInput, 'Prefix' | 'Delimiter'>,
  ): AsyncGenerator<ListObjectsV2CommandOutput> {
    let from: string | undefined
    do {
      const page: ListObjectsV2CommandOutput = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: from, ...wanted }),
      )
      yield page
      from = page.NextContinuationToken
    } while (from)
  }

  return {
    read,

    readText,

    async readBytes(key: string): Promise<Buffer | undefined> {
      return (await read(key))?.value
    },

    readJson,

    /** Costs a tenth of a listing. */
    async exists(key: string): Promise<boolean> {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key })
      return (await client.send(command).catch(absentIf(NotFound))) !== undefined
    },

    /** Reads a manifest. Throws `UnknownManifestVersion` if its version is not the one of this release. */
    async readManifest<T extends { readonly version: number }>(
      key: string,
    ): Promise<StoredManifest<T> | undefined> {
      const stored = await readText(key)
      if (!stored) return undefined
      const value = parseObject(stored.value, key, ['version']) as T
      if (value.version !== manifestVersion) throw new UnknownManifestVersion(key, value.version)
      return { ...stored, value, sha256: hash('sha256', stored.value) }
    },

    /** Stores gzip data under a new key, or one that has the same bytes. S3 rejects it if its SHA-256 differs. */
    async putGzip(key: string, body: Buffer, sha256: Buffer): Promise<void> {
      if (!(await putIf(key, 'absent', gzipOf(body, sha256))))
        throw new Error(`The object ${key} is stored with other bytes.`)
    },

    /** Stores gzip data, no matter what is stored. */
    replaceGzip: (key: string, body: Buffer, sha256: Buffer) => put(key, gzipOf(body, sha256)),

    /** Stores bytes, no matter what is stored. */
    async putBytes(key: string, body: Uint8Array): Promise<void> {
      await put(key, { Body: body, ContentType: 'application/octet-stream' })
    },

    /** Writes an object, no matter what is stored. */
    async put(key: string, content: ObjectText): Promise<void> {
      await put(key, written(content))
    },

    /** Writes an object if the stored one is as expected. False if it is not. */
    putIf: (key: string, expected: Expected, content: ObjectText) => putIf(key, expected, written(content)),

    async *listKeys(prefix: string): AsyncGenerator<string> {
      for await (const { Contents = [] } of list({ Prefix: prefix }))
        for (const { Key } of Contents) if (Key) yield Key
    },

    async *listObjects(prefix: string): AsyncGenerator<ListedObject> {
      for await (const { Contents = [] } of list({ Prefix: prefix }))
        for (const { Key, LastModified, Size = 0, ETag = '' } of Contents)
          if (Key) yield { key: Key, writtenAt: LastModified?.getTime() ?? 0, bytes: Size, etag: ETag }
    },

    /** The names of the folders that have objects, directly below a prefix that ends with a slash. */
    async *listFolders(prefix: string): AsyncGenerator<string> {
      for await (const { CommonPrefixes = [] } of list({ Prefix: prefix, Delimiter: '/' }))
        for (const folder of CommonPrefixes) if (folder.Prefix) yield folder.Prefix.slice(prefix.length, -1)
    },

    deleteKeys(keys: readonly string[]): Promise<void> {
      return deleteObjects(
        { client, bucket },
        keys.map((Key) => ({ Key })),
      )
    },
  }
}

/** Repeats of a conditional write that S3 asks for, and the longest wait before the first one. */
const maxConflicts = 4
const baseWaitMs = 100

/** S3 user guide, "Conditional writes": a conflict does not show what is stored, so the write is repeated. */
function refusalOf(error: unknown): 'not-as-expected' | 'conflict' | undefined {
  if (!(error instanceof S3ServiceException)) return undefined
  const { httpStatusCode } = error.$metadata
  if (httpStatusCode === 409) return 'conflict'
  // With If-Match S3 responds NoSuchKey if the object is gone.
  return httpStatusCode === 412 || error.name === 'NoSuchKey' ? 'not-as-expected' : undefined
}
