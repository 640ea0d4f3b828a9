import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
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

  it('in chunks with its checksum at the end is stored without them', async () => {
    const Body = Readable.from([Buffer.from('one '), Buffer.from('two')])
    await client.send(new PutObjectCommand({ Bucket, Key: 'chunked', Body, ContentLength: 7 }))
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'chunked', ChecksumMode: 'ENABLED' }))
    expect(head).toMatchObject({ ContentLength: 7, ChecksumCRC32: expect.any(String) as string })
    expect(head.ContentEncoding).toBeUndefined()
    expect(await read('chunked')).toBe('one two')
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

it('a suffix that is longer than the object is the whole object, and one of nothing is refused', async () => {
  await put('short', 'content')
  const range = (Range: string) => client.send(new GetObjectCommand({ Bucket, Key: 'short', Range }))
  const { Body, ...got } = await range('bytes=-1000000')
  expect(got).toMatchObject({
    ContentLength: 7,
    ContentRange: 'bytes 0-6/7',
    $metadata: { httpStatusCode: 206 },
  })
  expect(await Body?.transformToString()).toBe('content')
  expect(await (await range('bytes=-4')).Body?.transformToString()).toBe('tent')
  await expect(range('bytes=7-')).rejects.toMatchObject({
    name: 'InvalidRange',
    $metadata: { httpStatusCode: 416 },
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

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a part of an upload',
      () => client.send(new UploadPartCommand({ Bucket, Key: 'x', UploadId: 'y', PartNumber: 1, Body: 'x' })),
      'NotImplemented',
    ],
    [
      'the tags of an object',
      () => client.send(new GetObjectTaggingCommand({ Bucket, Key: 'x' })),
      'NotImplemented',
    ],
    [
      'an object with tags',
      () => client.send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x', Tagging: 'a=b' })),
      'NotImplemented',
    ],
    ['a key that does not exist', () => read('none'), 'NoSuchKey'],
    [
      'the head of a key that does not exist',
      () => client.send(new HeadObjectCommand({ Bucket, Key: 'none' })),
      'NotFound',
    ],
    ['another bucket', () => client.send(new ListObjectsV2Command({ Bucket: 'other' })), 'NoSuchBucket'],
    [
      'a deletion of nothing',
      () => client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [] } })),
      'MalformedXML',
    ],
  ])('to %s is a clear error', async (_, call, name) => {
    await expect(call()).rejects.toMatchObject({ name })
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

  it('are listed in pages, with the keys encoded if that is wanted', async () => {
    const keys = ['p/ +%', 'p/a/1', 'p/a/2', 'p/é']
    for (const key of keys) for (const body of ['1', '2']) await put(key, body)
    const listed: unknown[] = []
    let page: ListObjectVersionsCommandOutput | undefined
    do {
      page = await client.send(
        new ListObjectVersionsCommand({
          Bucket,
          Prefix: 'p/',
          Delimiter: '/',
          MaxKeys: 2,
          KeyMarker: page?.NextKeyMarker,
          VersionIdMarker: page?.NextVersionIdMarker,
        }),
      )
      listed.push([page.Versions?.map(({ Key }) => Key), page.CommonPrefixes?.map(({ Prefix }) => Prefix)])
    } while (page.IsTruncated)
    expect(listed).toEqual([
      [['p/ +%', 'p/ +%'], undefined],
      [['p/é'], ['p/a/']],
      [['p/é'], undefined],
    ])
    const encoded = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'p/', EncodingType: 'url' }))
    expect(encoded.Contents?.map(({ Key }) => Key)).toEqual(['p/%20%2B%25', 'p/a/1', 'p/a/2', 'p/%C3%A9'])
  })
})

it('lists its bucket with a date, which the AWS CLI needs', async () => {
  const { Buckets } = await client.send(new ListBucketsCommand({}))
  expect(Buckets).toEqual([{ Name: Bucket, CreationDate: expect.any(Date) as Date }])
})

it('lists objects and versions with every member that S3 sends', async () => {
  await put('members/a/1', 'x')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'members/b' }))
  const asked = { Bucket, Prefix: 'members/', MaxKeys: 7 }
  const common = { Name: Bucket, Prefix: 'members/', MaxKeys: 7, IsTruncated: false }
  const listed = await client.send(
    new ListObjectsV2Command({ ...asked, StartAfter: 'members/', FetchOwner: true }),
  )
  expect(listed).toMatchObject({ ...common, KeyCount: 1, StartAfter: 'members/' })
  expect(listed.Contents).toMatchObject([{ Key: 'members/a/1', Owner: { ID: expect.any(String) } }])
  const grouped = await client.send(new ListObjectsV2Command({ ...asked, Delimiter: '/' }))
  expect(grouped).toMatchObject({ ...common, Delimiter: '/', CommonPrefixes: [{ Prefix: 'members/a/' }] })
  const versions = await client.send(new ListObjectVersionsCommand(asked))
  expect(versions).toMatchObject({ ...common, KeyMarker: '', VersionIdMarker: '' })
  const owned = { Owner: { ID: expect.any(String) }, IsLatest: true }
  expect(versions).toMatchObject({ Versions: [owned], DeleteMarkers: [owned] })
  for (const command of [new ListObjectsV2Command(asked), new ListObjectVersionsCommand(asked)]) {
    const link = await getSignedUrl(client, command as ListObjectsV2Command)
    const xml = await (await fetch(link)).text()
    expect(xml).toMatch(/\n<List\w+Result xmlns="http:\/\/s3\.amazonaws\.com\/doc\/2006-03-01\/"><Name>/)
  }
})
