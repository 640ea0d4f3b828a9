import { randomBytes } from 'node:crypto'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
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

const put = (Key: string, Body: string, conditions: { readonly IfMatch?: string } = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...conditions }))
const read = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

it('a PUT with If-Match overwrites exactly that version', async () => {
  const { ETag = '' } = await put('a/latest.json', 'one')
  const { ETag: newer = '' } = await put('a/latest.json', 'two', { IfMatch: ETag })
  await expect(put('a/latest.json', 'three', { IfMatch: ETag })).rejects.toMatchObject({
    name: 'PreconditionFailed',
  })
  await put('a/latest.json', 'four', { IfMatch: newer })
  expect(await read('a/latest.json')).toBe('four')
  await expect(put('a/none', 'x', { IfMatch: newer })).rejects.toMatchObject({ name: 'NoSuchKey' })
})

describe('a body', () => {
  it('of many mebibytes is stored and read, in whole and in part', async () => {
    const Body = randomBytes(20 * 1024 * 1024)
    await client.send(new PutObjectCommand({ Bucket, Key: 'large', Body }))
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'large' }))
    expect(Buffer.compare(Buffer.from((await got.Body?.transformToByteArray()) ?? []), Body)).toBe(0)
    const Range = `bytes=${Body.length - 10}-`
    const end = await client.send(new GetObjectCommand({ Bucket, Key: 'large', Range }))
    expect(await end.Body?.transformToByteArray()).toEqual(new Uint8Array(Body.subarray(-10)))
  })

  it.each([
    ['checksum', { ChecksumSHA256: Buffer.alloc(32).toString('base64') }],
    ['MD5', { ContentMD5: Buffer.alloc(16).toString('base64') }],
  ])('with another %s is not stored', async (_, sums) => {
    const command = new PutObjectCommand({ Bucket, Key: 'other', Body: 'x', ...sums })
    await expect(client.send(command)).rejects.toMatchObject({ name: 'BadDigest' })
    await expect(read('other')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })
})

describe('a response', () => {
  it('repeats the headers of the object, or has those of the request', async () => {
    const stored = { ContentType: 'text/plain', CacheControl: 'no-cache', Metadata: { by: 'test' } }
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'typed', Body: 'x', ...stored }))
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'typed' }))
    expect(head).toMatchObject({ ...stored, ETag, ContentLength: 1 })
    const ResponseContentType = 'text/csv'
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'typed', ResponseContentType }))
    expect(got.ContentType).toBe('text/csv')
    const copy = { Bucket, Key: 'copies/é 1+2', CopySource: `${Bucket}/typed` }
    expect((await client.send(new CopyObjectCommand(copy))).CopyObjectResult?.ETag).toBe(ETag)
    const copied = await client.send(new HeadObjectCommand({ Bucket, Key: copy.Key }))
    expect(copied).toMatchObject({ ...stored, ETag, ContentLength: 1 })
  })

  it.each([
    [304, { IfNoneMatch: true }],
    [412, { IfMatch: '"other"' }],
  ])('is a %i if the condition of a GET is false', async (httpStatusCode, condition) => {
    const { ETag } = await put('conditional', 'x')
    const conditions = 'IfNoneMatch' in condition ? { IfNoneMatch: ETag } : condition
    const command = new GetObjectCommand({ Bucket, Key: 'conditional', ...conditions })
    await expect(client.send(command)).rejects.toMatchObject({ $metadata: { httpStatusCode } })
  })
})

describe('versions', () => {
  const get = (Key: string, VersionId?: string) =>
    client.send(new GetObjectCommand({ Bucket, Key, VersionId }))
  const list = () => client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'versions/' }))

  it('remain when an object is overwritten or deleted, until they are deleted themselves', async () => {
    const Key = 'versions/<&> é'
    const first = await put(Key, 'one')
    const second = await put(Key, 'two')
    const { VersionId: marker, DeleteMarker } = await client.send(new DeleteObjectCommand({ Bucket, Key }))
    expect(DeleteMarker).toBe(true)
    await expect(get(Key)).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(get(Key, marker)).rejects.toMatchObject({ name: 'MethodNotAllowed' })
    expect(await (await get(Key, first.VersionId)).Body?.transformToString()).toBe('one')
    const { Versions = [], DeleteMarkers = [] } = await list()
    const shown = [...DeleteMarkers, ...Versions].map((version) => [version.VersionId, version.IsLatest])
    expect(shown).toEqual([
      [marker, true],
      [second.VersionId, false],
      [first.VersionId, false],
    ])
    const Objects = [first.VersionId, marker].map((VersionId) => ({ Key, VersionId }))
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    expect(await read(Key)).toBe('two')
    await expect(get(Key, first.VersionId)).rejects.toMatchObject({ name: 'NoSuchVersion' })
    await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId: second.VersionId }))
    expect((await list()).Versions).toBeUndefined()
  })
})

it('lists its bucket with a date, which the AWS CLI needs', async () => {
  const { Buckets, Owner } = await client.send(new ListBucketsCommand({}))
  expect(Buckets).toEqual([{ Name: Bucket, CreationDate: expect.any(Date) as Date }])
  expect(Owner).toEqual({ ID: '0'.repeat(64) })
})

it('lists objects and versions with every member that S3 sends', async () => {
  await put('members/a/1', 'x')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'members/b' }))
  const owner = { ID: expect.any(String) as string }
  const asked = { Bucket, Prefix: 'members/', MaxKeys: 7 }
  const common = { Name: Bucket, Prefix: 'members/', MaxKeys: 7, IsTruncated: false }
  const listed = await client.send(
    new ListObjectsV2Command({ ...asked, StartAfter: 'members/', FetchOwner: true }),
  )
  expect(listed).toMatchObject({ ...common, KeyCount: 1, StartAfter: 'members/' })
  expect(listed.Contents).toMatchObject([{ Key: 'members/a/1', Owner: owner }])
  const grouped = await client.send(new ListObjectsV2Command({ ...asked, Delimiter: '/' }))
  expect(grouped).toMatchObject({ ...common, Delimiter: '/', CommonPrefixes: [{ Prefix: 'members/a/' }] })
  const first = await client.send(new ListObjectsCommand({ Bucket, MaxKeys: 1, Marker: 'members/' }))
  expect(first).toMatchObject({ Marker: 'members/', Contents: [{ Key: 'members/a/1', Owner: owner }] })
  const versions = await client.send(new ListObjectVersionsCommand(asked))
  expect(versions).toMatchObject({ ...common, KeyMarker: '', VersionIdMarker: '' })
  const owned = { Owner: owner, IsLatest: true }
  expect(versions).toMatchObject({ Versions: [owned], DeleteMarkers: [owned] })
  for (const command of [new ListObjectsV2Command(asked), new ListObjectVersionsCommand(asked)]) {
    const link = await getSignedUrl(client, command as ListObjectsV2Command)
    const xml = await (await fetch(link)).text()
    expect(xml).toMatch(/\n<List\w+Result xmlns="http:\/\/s3\.amazonaws\.com\/doc\/2006-03-01\/"><Name>/)
  }
})
