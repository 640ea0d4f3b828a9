import type { S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../functions/state/snapshots/snapshots.aws.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'

const manifestOf = (runId: string) =>
  ({ version: 1, entity: 'CL', runId, documents: 1, pages: [{ key: `p-${runId}` }] }) as unknown as Manifest

it('the Athena table lists the pages of the published snapshot, even if an older publication ends later', async () => {
  const s3 = new MemoryS3()
  const snapshots = createSnapshotStore('bucket', s3 as unknown as S3Client)
  for (const runId of ['1', '2']) {
    await snapshots.putManifest(manifestOf(runId))
    const latest = { runId, manifest: '', documents: 1, publishedAt: '' }
    await snapshots.moveLatest('CL', latest, await snapshots.readLatest('CL'))
  }
  await snapshots.moveTable('CL', manifestOf('1'))
  expect(String(s3.objects.get('tables/CL/pages.txt')?.body)).toBe('s3://bucket/p-2\n')
})

it('a deletion fails if a single object cannot be deleted', async () => {
  const send = async () => ({ Errors: [{ Key: 'a', Code: 'AccessDenied' }] })
  const snapshots = createSnapshotStore('bucket', { send } as unknown as S3Client)
  await expect(snapshots.deleteKeys(['a', 'b'])).rejects.toThrow(
    'Cannot delete 1 object; the first error: AccessDenied.',
  )
})
