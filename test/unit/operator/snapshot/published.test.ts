import { PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { defaultInstancePath } from '../../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { readOlder, requirePublished } from '../../../../operator/snapshot/published.ts'
import { latestKey, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { useBucket } from '../../../embedded-bucket.ts'

const bucket = 'snapshots'
const target = { kind: 'local', path: defaultInstancePath } as const

useBucket(bucket)

const configuration = { entities: [{ name: 'CL' }] }

const latest = { runId: 'r1', manifest: manifestKey('CL', 'r1'), publishedAt: 'now', documents: 2 }
const page = { key: 'p', documents: 2, bytes: 3, sha256: 'x' }
const manifest = { version: 1, entity: 'CL', runId: 'r1', documents: 2, uniqueIds: 1, pages: [page] }

const malformedLatest = (entity: string) => `snapshots/${entity}/latest.json is malformed.`
const malformedManifest = (entity: string) => `snapshots/${entity}/r1/manifest.json is malformed.`

async function put(Key: string, value: unknown): Promise<void> {
  const Body = typeof value === 'string' ? value : JSON.stringify(value)
  await awsClients.bucket().send(new PutObjectCommand({ Bucket: bucket, Key, Body }))
}

/** Reads the published snapshot of an entity that no other test uses. */
async function readStored(entity: string, stored: { latest?: unknown; manifest?: unknown }) {
  if (stored.latest !== undefined) await put(latestKey(entity), stored.latest)
  if (stored.manifest !== undefined) await put(manifestKey(entity, 'r1'), stored.manifest)
  return requirePublished({ bucket, configuration: { entities: [{ name: entity }] } }, entity, target).catch(
    (error: unknown) => failureOf(error),
  )
}

const without = (object: object, name: string) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))

describe('the published snapshot', () => {
  it('is read with its manifest', async () => {
    expect(await readStored('CL', { latest, manifest })).toEqual({ latest, manifest })
  })

  it.each<[name: string, stored: object, message: (entity: string) => string]>([
    ['nothing was published', {}, (entity) => `No snapshot of ${entity} has been published.`],
    [
      'its manifest was deleted',
      { latest },
      (entity) => `The manifest snapshots/${entity}/r1/manifest.json is not in the bucket.`,
    ],
    ...Object.keys(latest).map((name): [string, object, typeof malformedLatest] => [
      `latest.json has a wrong ${name}`,
      { latest: { ...latest, [name]: null }, manifest },
      malformedLatest,
    ]),
    ...['entity', 'runId', 'documents', 'uniqueIds', 'pages'].map(
      (name): [string, object, typeof malformedManifest] => [
        `its manifest has no ${name}`,
        { latest, manifest: without(manifest, name) },
        malformedManifest,
      ],
    ),
    ...Object.keys(page).map((name): [string, object, typeof malformedManifest] => [
      `a page of its manifest has no ${name}`,
      { latest, manifest: { ...manifest, pages: [without(page, name)] } },
      malformedManifest,
    ]),
  ])('cannot be read if %s', async (name, stored, message) => {
    const entity = name.replaceAll(/\W/g, '-')
    expect(await readStored(entity, stored)).toEqual({
      kind: 'problem',
      message: message(entity),
      fix: message(entity).endsWith('is malformed.')
        ? `restore its newest intact version (longshore verify ${entity} --repair)`
        : `npx --no-install longshore --local sync ${entity} --watch`,
    })
  })

  it.each([
    ['no-json', { latest: '{', manifest }, 'latest.json is not JSON'],
    ['no-json-manifest', { latest, manifest: '{' }, 'r1/manifest.json is not JSON'],
    ['no-run', { latest: without(latest, 'runId'), manifest }, 'latest.json has no runId'],
    ['no-version', { latest, manifest: without(manifest, 'version') }, 'r1/manifest.json has no version'],
  ])('has to be restored if %s', async (entity, stored, what) => {
    expect(await readStored(entity, stored)).toEqual({
      kind: 'problem',
      message: `snapshots/${entity}/${what}.`,
      fix: `restore its newest intact version (longshore verify ${entity} --repair)`,
    })
  })

  it('is not called malformed if the bucket cannot be read', async () => {
    const failure = await requirePublished({ bucket: 'other', configuration }, 'CL', target).catch(failureOf)
    expect(failure).toEqual({ kind: 'problem', message: expect.stringContaining('NoSuchBucket') })
  })
})

it('names the configured entities if the entity is neither configured nor stored', async () => {
  const message = "The entity CC is not configured. Did you mean 'CL'? Entities: CL."
  const notConfigured = { kind: 'problem', message, fix: undefined }
  const deployment = { bucket, configuration }
  expect(await requirePublished(deployment, 'CC', target).catch(failureOf)).toEqual(notConfigured)
  const older = readOlder(deployment, { entity: 'CC', runId: 'r1' }, target)
  expect(await older.catch(failureOf)).toEqual(notConfigured)
})

describe('an older snapshot', () => {
  const older = (runId: string) =>
    readOlder({ bucket, configuration }, { entity: 'CL', runId }, target).catch(failureOf)

  it('is read by its run', async () => {
    await put(manifestKey('CL', 'r0'), { ...manifest, runId: 'r0' })
    expect(await older('r0')).toEqual({ ...manifest, runId: 'r0' })
  })

  it('may no longer be kept', async () => {
    expect(await older('r9')).toEqual({
      kind: 'problem',
      message: 'There is no snapshot of run r9 of CL.',
      fix: 'list the runs (npx --no-install longshore --local runs CL); keepSnapshots limits how many snapshots are kept',
    })
  })
})
