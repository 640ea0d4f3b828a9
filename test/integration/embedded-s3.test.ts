import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
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

type Conditions = { IfNoneMatch?: string; IfMatch?: string }
const put = (Key: string, Body: string, conditions: Conditions = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...conditions }))
const read = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

describe('a conditional PUT', () => {
  it('with If-None-Match creates an object and never overwrites one', async () => {
    await put('a/manifest.json', 'one', { IfNoneMatch: '*' })
    await expect(put('a/manifest.json', 'two', { IfNoneMatch: '*' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    })
    expect(await read('a/manifest.json')).toBe('one')
  })

  it('with If-Match overwrites exactly that version', async () => {
    const { ETag = '' } = await put('a/latest.json', 'one')
    const { ETag: newer = '' } = await put('a/latest.json', 'two', { IfMatch: ETag })
    await expect(put('a/latest.json', 'three', { IfMatch: ETag })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    })
    await put('a/latest.json', 'four', { IfMatch: newer })
    expect(await read('a/latest.json')).toBe('four')
    await expect(put('a/none', 'x', { IfMatch: newer })).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('succeeds for exactly one of many concurrent writers', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => put('a/race', String(index), { IfNoneMatch: '*' })),
    )
    const won = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [String(index)] : []))
    expect(won).toHaveLength(1)
    expect(await read('a/race')).toBe(won[0])
    const { ETag = '' } = await put('a/race', 'again')
    const moved = await Promise.allSettled([
      put('a/race', 'x', { IfMatch: ETag }),
      put('a/race', 'y', { IfMatch: ETag }),
    ])
    expect(moved.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

it('stores bytes, lists by prefix and deletes', async () => {
  const Body = randomBytes(3_000_000)
  await client.send(new PutObjectCommand({ Bucket, Key: 'pages/é 1+2.gz', Body }))
  await put('pages/2', 'x')
  const got = await client.send(new GetObjectCommand({ Bucket, Key: 'pages/é 1+2.gz' }))
  expect(Buffer.compare(Buffer.from((await got.Body?.transformToByteArray()) ?? []), Body)).toBe(0)
  const list = () => client.send(new ListObjectsV2Command({ Bucket, Prefix: 'pages/' }))
  const keys = (await list()).Contents?.map(({ Key = '' }) => ({ Key })) ?? []
  expect(keys).toHaveLength(2)
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys } }))
  expect((await list()).KeyCount).toBe(0)
})

it('serves a presigned link without credentials', async () => {
  await put('b/page.ndjson.gz', 'bytes')
  const link = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'b/page.ndjson.gz' }), {
    expiresIn: 900,
  })
  expect(await (await fetch(link)).text()).toBe('bytes')
})

describe('with a folder', () => {
  it('keeps objects, and what was overwritten and deleted, for the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
    const before = await startS3({ bucket: Bucket, folder })
    const writer = new S3Client({ ...clientSettings, endpoint: before.endpoint })
    const objects = ['a/one 1', 'a/two 2', 'b/a=c 3', 'b/a=c 4'].map((pair) => pair.split(' '))
    for (const [Key = '', Body = ''] of objects)
      await writer.send(new PutObjectCommand({ Bucket, Key, Body }))
    await writer.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a/one' }] } }))
    writer.destroy()
    await before.close()

    const after = await startS3({ bucket: Bucket, folder })
    const reader = new S3Client({ ...clientSettings, endpoint: after.endpoint })
    const { Contents = [] } = await reader.send(new ListObjectsV2Command({ Bucket }))
    expect(Contents.map(({ Key }) => Key)).toEqual(['a/two', 'b/a=c'])
    const { Body } = await reader.send(new GetObjectCommand({ Bucket, Key: 'b/a=c' }))
    expect(await Body?.transformToString()).toBe('4')
    reader.destroy()
    await after.close()
    rmSync(folder, { recursive: true })
  })
})
