import { randomBytes } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { startS3 } from '../../local/embedded/s3.ts'

const Bucket = 'snapshots'
let served: Served
let client: S3Client
beforeAll(async () => {
  served = await startS3({ bucket: Bucket })
  // No forcePathStyle, as in the functions: the endpoint's host is an IP address.
  client = new S3Client({ ...clientSettings, endpoint: served.endpoint })
})
afterAll(async () => {
  client.destroy()
  await served.close()
})

describe('an upload in parts', () => {
  const Key = 'large/object'
  const five = randomBytes(5 * 1024 * 1024)
  const begin = async () => {
    const { UploadId = '' } = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/plain' }),
    )
    const part = async (PartNumber: number, Body: Buffer) => {
      const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body })
      const { ETag } = await client.send(command)
      return { PartNumber, ETag }
    }
    const complete = (
      Parts: { PartNumber: number; ETag?: string | undefined }[],
      conditions: { IfNoneMatch?: string } = {},
    ) =>
      client.send(
        new CompleteMultipartUploadCommand({
          Bucket,
          Key,
          UploadId,
          MultipartUpload: { Parts: Parts as { PartNumber: number; ETag: string }[] },
          ...conditions,
        }),
      )
    const abort = () => client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    return { part, complete, abort }
  }

  it('is an object of the listed parts once it is complete', async () => {
    const { part, complete } = await begin()
    const second = await part(2, Buffer.from('end'))
    await part(1, Buffer.from('replaced'))
    const first = await part(1, five)
    await expect(client.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toThrow('UnknownError')
    const { ETag } = await complete([first, second], { IfNoneMatch: '*' })
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
    const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key }))
    const stored = Buffer.from((await Body?.transformToByteArray()) ?? [])
    expect([stored.equals(Buffer.concat([five, Buffer.from('end')])), ContentType]).toEqual([
      true,
      'text/plain',
    ])
    await expect(complete([first, second])).rejects.toMatchObject({ name: 'NoSuchUpload' })
  })

  it('is refused as S3 does for parts that are wrong, and can be aborted', async () => {
    const { part, complete, abort } = await begin()
    const [first, second] = [await part(1, Buffer.from('small')), await part(2, Buffer.from('end'))]
    await expect(complete([first, second])).rejects.toMatchObject({ name: 'EntityTooSmall' })
    await expect(complete([second, first])).rejects.toMatchObject({ name: 'InvalidPart' })
    await expect(complete([{ ...first, ETag: 'other' }])).rejects.toMatchObject({ name: 'InvalidPart' })
    await expect(part(0, five)).rejects.toMatchObject({ name: 'InvalidArgument' })
    await abort()
    await expect(complete([first])).rejects.toMatchObject({ name: 'NoSuchUpload' })
  })
})
