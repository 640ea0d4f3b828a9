import { DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { beforeEach, expect, it, vi } from 'vitest'
import { deleteObjects, type EntityBucket, findObjects } from '../../../../operator/purge/entity-objects.ts'
import { createObjectVersionStore } from '../../../../stored/object-versions.aws.ts'
import { openObjects } from '../../../../stored/objects.aws.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'

const own = [
  'snapshots/PR/latest.json',
  'changes/PR/latest.json',
  'tables/PR.changes/parts.txt',
  'tables/PR/pages.txt',
  'iceberg/PR/metadata/v1.json',
  'changes/PR/r1/manifest.json',
  'snapshots/PR/r1/a1-p000001-x.ndjson.gz',
]
const others = ['snapshots/PRO/latest.json', 'changes/P/latest.json', 'tables/PRO/pages.txt', 'other/PR/x']

let s3: MemoryS3
let bucket: EntityBucket
const noProgress = () => undefined

beforeEach(() => open(2))

/** An empty bucket that lists this many objects per request. */
function open(pageSize: number): void {
  s3 = new MemoryS3(pageSize)
  s3.now = Date.now
  const client = s3 as unknown as S3Client
  bucket = { versions: createObjectVersionStore('b', client), objects: openObjects('b', client) }
}

const put = (Key: string, Body = 'x') => s3.execute(new PutObjectCommand({ Bucket: 'b', Key, Body }))

it('finds the objects of an entity in all their versions, those that readers start from first', async () => {
  for (const key of [...own, ...others]) put(key)
  put('snapshots/PR/latest.json', 'y')
  const { keys, versions } = await findObjects('PR', bucket)
  expect(keys).toEqual(own)
  expect(versions.map(({ key }) => key)).toEqual(['snapshots/PR/latest.json', ...own])
})

it('finds an object of which only an older version exists', async () => {
  const Key = own[6] ?? ''
  put(Key)
  s3.execute(new DeleteObjectsCommand({ Bucket: 'b', Delete: { Objects: [{ Key }] } }))
  expect((await findObjects('PR', bucket)).keys).toEqual([Key])
})

it('deletes every version, and nothing of other entities', async () => {
  for (const key of [...own, ...others]) put(key)
  put('snapshots/PR/latest.json', 'y')
  const progress: (readonly [number, number])[] = []
  const deletedKeys = vi.spyOn(bucket.objects, 'deleteKeys')
  await deleteObjects(await findObjects('PR', bucket), bucket, (...step) => progress.push(step))
  const manifests = own.filter((key) => key.endsWith('.json')).length + 1
  expect(progress).toEqual([0, manifests, own.length + 1].map((done) => [done, own.length + 1]))
  // A key would get a delete marker.
  expect(deletedKeys.mock.calls).toEqual([[[]]])
  expect([...s3.objects.keys()].toSorted()).toEqual(others.toSorted())
  expect(s3.versions.map(({ key }) => key).toSorted()).toEqual(others.toSorted())
})

it('deletes the objects of a bucket without versions', async () => {
  s3.now = undefined
  for (const key of [...own, ...others]) put(key)
  const found = await findObjects('PR', bucket)
  expect([found.keys, found.versions]).toEqual([own, []])
  const deletedVersions = vi.spyOn(bucket.versions, 'deleteVersions')
  await deleteObjects(found, bucket, noProgress)
  expect(deletedVersions.mock.calls.map(([versions]) => versions)).toEqual([[]])
  expect([...s3.objects.keys()].toSorted()).toEqual(others.toSorted())
})

it('deletes in batches that an interruption ends', async () => {
  open(1000)
  for (let index = 0; index < 1001; index++) put(`snapshots/PR/r1/${index}`)
  const found = await findObjects('PR', bucket)
  const seen: number[] = []
  const interrupted = deleteObjects(found, bucket, (done, total) => {
    seen.push(done)
    if (done === 1000) throw new Error(`${total}`)
  })
  await expect(interrupted).rejects.toThrow('1001')
  expect([seen, s3.objects.size]).toEqual([[0, 1000], 1])
})
