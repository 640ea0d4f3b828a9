import { setTimeout as sleep } from 'node:timers/promises'
import type { ListObjectsV2CommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3'
import {
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { clientLimits } from '../runtime/client-limits.ts'
import type { Content, Objects } from './ports.ts'

/** Repeats of a conditional write that S3 asks for, and the longest wait before the first one. */
const maxConflicts = 4
const baseWaitMs = 100

/** Does not check the checksums of S3: the hashes of what is read are checked. */
const createClient = () =>
  new S3Client({ ...clientLimits.bucket, responseChecksumValidation: 'WHEN_REQUIRED' })

export function connectObjects(
  bucket: string,
  client: Pick<S3Client, 'send'> = createClient(),
  wait: (ms: number) => Promise<unknown> = sleep,
): Objects {
  async function put(
    key: string,
    { body, type, cacheControl }: Content,
    condition: Partial<PutObjectCommandInput>,
  ) {
    await client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        // As bytes: the SDK sends an empty string without a Content-Length, which S3 requires.
        Body: Buffer.from(body),
        ContentType: type,
        CacheControl: cacheControl,
        ...condition,
      }),
    )
  }

  async function read(key: string) {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      const chunks = await Array.fromAsync((Body ?? []) as AsyncIterable<Uint8Array>)
      return { bytes: Buffer.concat(chunks), etag: ETag ?? '' }
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }

  return {
    name: bucket,
    read,
    put: (key, content) => put(key, content, {}),

    async putIf(key, expected, content) {
      const condition = expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected.etag }
      for (let conflicts = 0; ; conflicts++) {
        try {
          await put(key, content, condition)
          return true
        } catch (error) {
          if (!(error instanceof S3ServiceException)) throw error
          // The write may have taken effect although its response was lost and the SDK repeated it.
          if (error.$metadata.httpStatusCode === 412 || error.name === 'NoSuchKey')
            return (await read(key))?.bytes.equals(Buffer.from(content.body)) ?? false
          // S3 user guide, "Conditional writes": a conflict does not show what is stored.
          if (error.$metadata.httpStatusCode !== 409 || conflicts === maxConflicts) throw error
          await wait((0.5 + Math.random() / 2) * baseWaitMs * 2 ** conflicts)
        }
      }
    },

    async *list(prefix) {
      let from: string | undefined
      do {
        const page: ListObjectsV2CommandOutput = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: from }),
        )
        for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? [])
          yield { key: Key, bytes: Size, etag: ETag }
        from = page.NextContinuationToken
      } while (from)
    },
  }
}
