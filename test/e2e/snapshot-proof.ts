import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { countOf, sliceOf } from '../../local/stand-in/documents.ts'
import type { Latest, Manifest } from '../../stored/snapshots/manifest.ts'
import type { CheckContext } from './context.ts'
import type { EntityName } from './upstream.ts'

/** An entity's latest.json; undefined if nothing is published. */
export async function readLatest(context: CheckContext, entity: EntityName): Promise<Latest | undefined> {
  try {
    return JSON.parse((await readObject(context, `snapshots/${entity}/latest.json`)).toString())
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Compares the published snapshot with the contract and with the stand-in, byte for byte. */
export async function assertWholeSnapshot(
  context: CheckContext,
  entity: EntityName,
  runId: string,
): Promise<{ latest: Latest; manifest: Manifest }> {
  const documents = sourceDocuments(context, entity)
  const latest = await readLatest(context, entity)
  assert.ok(latest, `snapshots/${entity}/latest.json does not exist`)
  const folder = `snapshots/${entity}/${runId}/`
  const { publishedAt, sha256, ...place } = latest
  assert.deepEqual(place, { runId, manifest: `${folder}manifest.json`, documents: documents.length })
  assert.equal(new Date(publishedAt).toISOString(), publishedAt)

  const stored = await readObject(context, latest.manifest)
  assert.equal(createHash('sha256').update(stored).digest('hex'), sha256)
  const manifest = JSON.parse(stored.toString()) as Manifest
  const { pages, startedAt, finishedAt } = manifest
  // Further members may be added; these are promised.
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
  await assertPages(context, pages, documents)
  assert.deepEqual(
    (await listKeys(context, folder)).filter((key) => !/\/(check-[^/]*|evidence\.json)$/.test(key)),
    [...pages.map(({ key }) => key), latest.manifest].toSorted(),
    'the run has no objects except its pages, its manifest and what the publisher has checked',
  )
  return { latest, manifest }
}

async function assertPages(
  context: CheckContext,
  pages: Manifest['pages'],
  documents: Buffer[],
): Promise<void> {
  const lines: string[] = []
  for (const page of pages) {
    const object = await readObject(context, page.key)
    assert.match(page.key, /\.ndjson\.gz$/)
    assert.equal(object.length, page.bytes, `bytes of ${page.key}`)
    assert.equal(createHash('sha256').update(object).digest('hex'), page.sha256, `hash of ${page.key}`)
    const text = gunzipSync(object).toString('latin1')
    assert.ok(text.endsWith('\n'), `${page.key} ends with a line break`)
    const pageLines = text.slice(0, -1).split('\n')
    assert.equal(pageLines.length, page.documents, `documents of ${page.key}`)
    lines.push(...pageLines)
  }
  assert.equal(lines.length, documents.length)
  // One by one: a diff of megabytes is unreadable.
  for (const [index, document] of documents.entries())
    assert.equal(lines[index], document.toString('latin1'), `document ${index}`)
}

export function sourceDocuments({ platform }: CheckContext, entity: EntityName): Buffer[] {
  const source = platform.documents.get(entity) ?? []
  return sliceOf(source, 0, countOf(source))
}

export async function readObject({ s3, deployment }: CheckContext, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: deployment.bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

export async function writeObject(
  { s3, deployment }: CheckContext,
  key: string,
  body: Buffer,
): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: deployment.bucket, Key: key, Body: body }))
}

export async function removeObject({ s3, deployment }: CheckContext, key: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket: deployment.bucket, Key: key }))
}

/** Not even an old version of it is left. */
export async function removeVersions({ s3, deployment }: CheckContext, key: string): Promise<void> {
  const place = { Bucket: deployment.bucket, Key: key }
  const { Versions = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket: deployment.bucket, Prefix: key }),
  )
  for (const { VersionId } of Versions) await s3.send(new DeleteObjectCommand({ ...place, VersionId }))
}

export async function listKeys({ s3, deployment }: CheckContext, prefix: string): Promise<string[]> {
  const { Contents = [], IsTruncated } = await s3.send(
    new ListObjectsV2Command({ Bucket: deployment.bucket, Prefix: prefix }),
  )
  assert.ok(!IsTruncated)
  return Contents.map(({ Key = '' }) => Key).toSorted()
}
