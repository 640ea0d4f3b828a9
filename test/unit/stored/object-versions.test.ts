import { type DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { createObjectVersionStore, type ObjectVersion } from '../../../stored/object-versions.aws.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'

async function bucketWith(objects: number) {
  const s3 = new MemoryS3()
  s3.now = () => 0
  for (let index = 0; index < objects; index++)
    s3.execute(new PutObjectCommand({ Bucket: 'b', Key: `k${index}`, Body: 'x' }))
  const store = createObjectVersionStore('b', s3 as unknown as S3Client)
  const found: ObjectVersion[] = []
  for await (const page of store.listVersions('')) found.push(...page)
  return { s3, store, found }
}

describe('versions', () => {
  it('of one key are all listed, although a page ends between them', async () => {
    const { s3, store } = await bucketWith(0)
    s3.pageKeys = 2
    for (const key of ['a', 'b', 'b', 'b', 'c'])
      s3.execute(new PutObjectCommand({ Bucket: 'b', Key: key, Body: 'x' }))
    const pages = await Array.fromAsync(store.listVersions(''))
    expect(pages.map((page) => page.map(({ key, isLatest }) => `${key} ${isLatest}`))).toEqual([
      ['a true', 'b true'],
      ['b false', 'b false'],
      ['c true'],
    ])
  })

  it('are deleted 1,000 at a time', async () => {
    const { s3, store, found } = await bucketWith(2_001)
    const sizes: number[] = []
    const execute = s3.execute.bind(s3)
    s3.execute = (command) => {
      sizes.push((command as DeleteObjectsCommand).input.Delete?.Objects?.length ?? 0)
      return execute(command)
    }
    await store.deleteVersions(found)
    expect(sizes).toEqual([1000, 1000, 1])
    expect(s3.versions).toEqual([])
  })

  it('that S3 does not delete at once are deleted again', async () => {
    const { s3, store, found } = await bucketWith(3)
    let refused = 2
    s3.isDeleteRefused = () => refused-- > 0
    await store.deleteVersions(found)
    expect(s3.versions).toEqual([])
  })

  it('that cannot be deleted do not keep the others, and are named', async () => {
    const { s3, store, found } = await bucketWith(1_500)
    s3.isDeleteRefused = (key) => key === 'k0'
    await expect(store.deleteVersions(found)).rejects.toThrow(
      'Cannot delete 1 of 1500 objects. The first one is k0: InternalError',
    )
    expect(s3.versions.map(({ key }) => key)).toEqual(['k0'])
  })
})
