import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { Latest, Manifest } from '../../functions/state/manifest.ts'
import { countOf, sliceOf } from '../../local/platform/documents.ts'
import type { EntityName } from './upstream.ts'
import type { World } from './world.ts'

/** What is published of an entity; undefined if nothing is. */
export async function readLatest(world: World, entity: EntityName): Promise<Latest | undefined> {
  try {
    return JSON.parse((await readObject(world, `snapshots/${entity}/latest.json`)).toString())
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Holds the published snapshot against the contract and against the stand-in, byte for byte. */
export async function assertWholeSnapshot(
  world: World,
  entity: EntityName,
  runId: string,
): Promise<{ latest: Latest; manifest: Manifest }> {
  const documents = sourceDocuments(world, entity)
  const latest = await readLatest(world, entity)
  assert.ok(latest, `snapshots/${entity}/latest.json does not exist`)
  const folder = `snapshots/${entity}/${runId}/`
  const { publishedAt, ...place } = latest
  assert.deepEqual(place, { runId, manifest: `${folder}manifest.json`, documents: documents.length })
  assert.equal(new Date(publishedAt).toISOString(), publishedAt)

  const manifest = JSON.parse((await readObject(world, latest.manifest)).toString()) as Manifest
  const { pages, startedAt, finishedAt } = manifest
  // Members may be added to it, but these are promised.
  assert.partialDeepStrictEqual(manifest, {
    version: 1,
    entity,
    runId,
    query: {},
    documents: documents.length,
    uniqueIds: documents.length,
    reportedTotal: documents.length,
    proof: 'exact',
  })
  assert.ok(startedAt <= finishedAt && finishedAt <= publishedAt, `${startedAt} ${finishedAt} ${publishedAt}`)
  await assertPages(world, pages, documents)
  assert.deepEqual(
    await listKeys(world, folder),
    [...pages.map(({ key }) => key), latest.manifest].toSorted(),
    'beside the pages and the manifest nothing is left of the run',
  )
  return { latest, manifest }
}

async function assertPages(world: World, pages: Manifest['pages'], documents: Buffer[]): Promise<void> {
  const lines: string[] = []
  for (const page of pages) {
    const object = await readObject(world, page.key)
    assert.match(page.key, /\.ndjson\.gz$/)
    assert.equal(object.length, page.bytes, `bytes of ${page.key}`)
    assert.equal(createHash('sha256').update(object).digest('hex'), page.sha256, `hash of ${page.key}`)
    const text = gunzipSync(object).toString('latin1')
    assert.ok(text.endsWith('\n'), `${page.key} ends its last line`)
    const pageLines = text.slice(0, -1).split('\n')
    assert.equal(pageLines.length, page.documents, `documents of ${page.key}`)
    lines.push(...pageLines)
  }
  assert.equal(lines.length, documents.length)
  // One by one, since a difference of megabytes tells nobody anything.
  for (const [index, document] of documents.entries()) {
    assert.equal(lines[index], document.toString('latin1'), `document ${index}`)
  }
}

export function sourceDocuments({ platform }: World, entity: EntityName): Buffer[] {
  const source = platform.documents.get(entity) ?? []
  return sliceOf(source, 0, countOf(source))
}

export async function readObject({ s3, deployment }: World, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: deployment.bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

export async function writeObject({ s3, deployment }: World, key: string, body: Buffer): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: deployment.bucket, Key: key, Body: body }))
}

export async function removeObject({ s3, deployment }: World, key: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket: deployment.bucket, Key: key }))
}

export async function listKeys({ s3, deployment }: World, prefix: string): Promise<string[]> {
  const { Contents = [], IsTruncated } = await s3.send(
    new ListObjectsV2Command({ Bucket: deployment.bucket, Prefix: prefix }),
  )
  assert.ok(!IsTruncated)
  return Contents.map(({ Key = '' }) => Key).toSorted()
}
