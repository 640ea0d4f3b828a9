import type { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { moveLatest, moveTable, writeOnce } from '../../../functions/publisher/pointers.ts'
import { connectObjects } from '../../../functions/publisher/stored-objects.aws.ts'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { latestKey, type Manifest, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'

const manifestOf = (runId: string) =>
  ({ version: 1, entity: 'CL', runId, documents: 1, pages: [{ key: `p-${runId}` }] }) as unknown as Manifest

/** What publishes a snapshot in this bucket. */
const movingIn = (s3: MemoryS3) => ({
  objects: connectObjects('bucket', s3 as unknown as S3Client),
  now: Date.now,
})

it('the Athena table lists the pages of the published snapshot, even if an older publication ends later', async () => {
  const s3 = new MemoryS3()
  const moving = movingIn(s3)
  for (const runId of ['1', '2']) {
    await writeOnce(moving, manifestKey('CL', runId), manifestOf(runId))
    await moveLatest(moving, manifestOf(runId), '')
  }
  const table = () => String(s3.objects.get('tables/CL/pages.txt')?.body)
  await moveTable(moving, manifestOf('1'))
  expect(table()).toBe('s3://bucket/p-2\n')
  // Somebody deletes the published snapshot.
  s3.objects.delete(manifestKey('CL', '2'))
  await moveTable(moving, manifestOf('1'))
  expect(table()).toBe('s3://bucket/p-2\n')
})

it('a publication that is repeated leaves the time of the first one', async () => {
  const moving = movingIn(new MemoryS3())
  const latest = await moveLatest(moving, manifestOf('1'), '')
  expect(await moveLatest({ ...moving, now: () => 0 }, manifestOf('1'), '')).toEqual(latest)
})

it('a deletion asks for manifests first, and for what they name only once they are gone', async () => {
  const s3 = new MemoryS3()
  const keys = ['1/a1-p1', '1/manifest.json', '1/refused.json', '1/report', '2/a1-p1', 'iceberg/CL/data/1']
  for (const key of keys) s3.objects.set(key, { body: Buffer.alloc(0), etag: '"1"' })
  const { deleteKeys } = createSnapshotStore('bucket', s3 as unknown as S3Client)
  s3.isDeleteRefused = (key) => key === '1/manifest.json'
  await expect(deleteKeys(keys)).rejects.toThrow(
    'Cannot delete 1 of 6 objects. The first one is 1/manifest.json: InternalError',
  )
  expect([...s3.objects.keys()]).toEqual(['1/a1-p1', '1/manifest.json', '1/report'])
  s3.isDeleteRefused = () => false
  await deleteKeys(keys)
  expect([...s3.objects.keys()]).toEqual([])
})

it('a deletion leaves the whole table of an Iceberg metadata file that S3 refuses to delete', async () => {
  const s3 = new MemoryS3()
  const keys = ['iceberg/CL/data/1', 'iceberg/CL/metadata/1.metadata.json', 'iceberg/AD/data/1']
  for (const key of keys) s3.objects.set(key, { body: Buffer.alloc(0), etag: '"1"' })
  s3.isDeleteRefused = (key) => key.endsWith('.json')
  await expect(createSnapshotStore('bucket', s3 as unknown as S3Client).deleteKeys(keys)).rejects.toThrow(
    'Cannot delete 1 of 3 objects.',
  )
  expect([...s3.objects.keys()]).toEqual(keys.slice(0, 2))
})

it('a deletion fails if a single object cannot be deleted', async () => {
  const send = async () => ({ Errors: [{ Key: 'a', Code: 'AccessDenied' }] })
  const snapshots = createSnapshotStore('bucket', { send } as unknown as S3Client)
  await expect(snapshots.deleteKeys(['a', 'b'])).rejects.toThrow(
    'Cannot delete 1 of 2 objects. The first one is a: AccessDenied',
  )
})

describe('a manifest that another release wrote', () => {
  /** The stores on a bucket whose published manifests have this version. */
  function storesOf(version: unknown) {
    const s3 = new MemoryS3()
    const put = (key: string, value: object) =>
      s3.objects.set(key, { body: Buffer.from(JSON.stringify(value)), etag: '"1"' })
    for (const key of [manifestKey('CL', '1'), setManifestKey('CL', '1')])
      put(key, { ...manifestOf('1'), version })
    put(latestKey('CL'), { runId: '1', manifest: manifestKey('CL', '1'), documents: 1, publishedAt: '' })
    const client = s3 as unknown as S3Client
    return {
      s3,
      snapshots: createSnapshotStore('bucket', client),
      changes: createChangeSetStore('bucket', client),
    }
  }

  it.each<[string, unknown, string]>([
    ['newer', 2, 'deploy the release that wrote it, or a newer one'],
    ['older', 0, 'restore the object'],
    ['text', '1', 'restore the object'],
  ])('is refused by every reader with what to do if its version is %s', async (_, version, fix) => {
    const { s3, snapshots, changes } = storesOf(version)
    const refused = (key: string) => ({
      name: 'UnknownManifestVersion',
      message: expect.stringContaining(
        `${key}: its version is ${String(version)} and this release of Longshore`,
      ) as string,
      fix: expect.stringContaining(fix) as string,
    })
    const ofSnapshot = refused(manifestKey('CL', '1'))
    await expect(snapshots.readManifest('CL', '1')).rejects.toMatchObject(ofSnapshot)
    await expect(moveTable(movingIn(s3), manifestOf('0'))).rejects.toMatchObject(ofSnapshot)
    await expect(changes.readManifest('CL', '1')).rejects.toMatchObject(refused(setManifestKey('CL', '1')))
  })

  it('is no manifest if it has no version', async () => {
    const { snapshots, changes } = storesOf(undefined)
    const unreadable = {
      name: 'UnreadableObject',
      message: expect.stringContaining('has no version') as string,
    }
    await expect(snapshots.readManifest('CL', '1')).rejects.toMatchObject(unreadable)
    await expect(changes.readManifest('CL', '1')).rejects.toMatchObject(unreadable)
  })

  it('is read if its version is known', async () => {
    const { snapshots, changes } = storesOf(1)
    expect(await snapshots.readManifest('CL', '1')).toMatchObject({ runId: '1' })
    expect((await changes.readManifest('CL', '1'))?.value).toMatchObject({ runId: '1' })
  })
})
