import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { clientSettings } from '../../local/embedded/environment.ts'
import { journalName } from '../../local/embedded/s3/journal.ts'
import { startS3 } from '../../local/embedded/s3.ts'

const Bucket = 'snapshots'

it('a folder keeps objects, and what was overwritten and deleted, for the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  const before = await startS3({ bucket: Bucket, folder })
  const writer = new S3Client({ ...clientSettings, endpoint: before.endpoint })
  const objects = ['a/one 1', 'a/two 2', 'b/a=c 3', 'b/a=c 4'].map((pair) => pair.split(' '))
  for (const [Key = '', Body = ''] of objects) await writer.send(new PutObjectCommand({ Bucket, Key, Body }))
  await writer.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a/one' }] } }))
  // A process that was killed leaves parts of what it wrote.
  writeFileSync(join(folder, 'contents', 'upload-9'), 'part')
  writer.destroy()
  await before.close()
  appendFileSync(join(folder, journalName), '{"written":{"kind":"obj')

  const after = await startS3({ bucket: Bucket, folder })
  const reader = new S3Client({ ...clientSettings, endpoint: after.endpoint })
  const { Contents = [] } = await reader.send(new ListObjectsV2Command({ Bucket }))
  expect(Contents.map(({ Key }) => Key)).toEqual(['a/two', 'b/a=c'])
  const { Body } = await reader.send(new GetObjectCommand({ Bucket, Key: 'b/a=c' }))
  expect(await Body?.transformToString()).toBe('4')
  const { Versions = [], DeleteMarkers } = await reader.send(new ListObjectVersionsCommand({ Bucket }))
  expect(Versions.map(({ Key, IsLatest }) => [Key, IsLatest])).toEqual([
    ['a/one', false],
    ['a/two', true],
    ['b/a=c', true],
    ['b/a=c', false],
  ])
  expect(DeleteMarkers).toHaveLength(1)
  expect(readdirSync(join(folder, 'contents'))).toHaveLength(4)
  reader.destroy()
  await after.close()
  rmSync(folder, { recursive: true })
})
