import { gunzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseAll } from '../../functions/compare/erase/erase-all.ts'
import { readTask } from '../../functions/compare/request.ts'
import { runTask } from '../../functions/compare/run-task.ts'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { createErasurePasses } from '../../functions/state/erasure/passes.ts'
import { createObjectVersionStore } from '../../functions/state/object-versions.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../functions/state/sync-state.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { MemoryS3 } from '../simulation/stores/memory-s3.ts'
import { comparisonOn, type EmbeddedStores, startEmbeddedStores } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

const dayMs = 24 * 60 * 60_000
const eraseWithinDays = 8

let stores: EmbeddedStores
let platform: Platform
const bucket = new MemoryS3()

beforeAll(async () => {
  stores = { ...(await startEmbeddedStores()), s3: bucket as unknown as S3Client }
  platform = await startPlatform({ documents: { CL: makeDocuments(45), OLD: makeDocuments(20) } })
})
afterAll(() => Promise.all([platform.close(), stores.close()]))

/** The real worker, comparison and daily task, with a bucket that keeps versions and a clock that can be moved. */
function deployment(names: readonly string[]) {
  const entities = names.map((name) => entitySettings(name))
  const world = syncWorld({ stores, platform }, entities, { eraseWithinDays })
  bucket.now = world.now
  const context = { ...comparisonOn(stores, world.now), eraseWithinDays }
  const erasing = {
    ...context,
    versions: createObjectVersionStore(stores.bucket, stores.s3),
    state: createStateStore(connectTable(stores.table, stores.dynamodb)),
    passes: createErasurePasses(connectTable(stores.table, stores.dynamodb), 'erasedAt'),
    configured: names,
    eraseWithinDays,
  }
  return {
    ...world,
    compare: (entity: string) => runTask(context, entities, readTask({ entity })),
    erase: () => eraseAll(erasing),
    passDays: async (days: number) => {
      for (let day = 0; day < days; day++) {
        world.passTime(dayMs)
        await eraseAll(erasing)
      }
    },
  }
}

const documentsOf = (entity: string) => platform.documents.get(entity) as Buffer[]

/** The objects, also old versions of them, that contain a text. */
const keysWith = (entity: string, text: string) =>
  bucket.versions
    .filter(({ key }) => key.split('/')[1] === entity)
    .filter(({ key, body }) => String(key.endsWith('.gz') ? gunzipSync(body) : body).includes(text))
    .map(({ key }) => key)

/** The number of documents of the published snapshot, of which every page must exist. */
async function publishedDocuments(entity: string): Promise<number | undefined> {
  const snapshots = createSnapshotStore(stores.bucket, stores.s3)
  const latest = await snapshots.readLatest(entity)
  const manifest = latest && (await snapshots.readManifest(entity, latest.value.runId))
  expect(manifest?.pages.filter(({ key }) => !bucket.objects.has(key))).toEqual([])
  return manifest?.documents
}

describe('a document that was deleted on the platform', () => {
  it('is in no object and in no version of one eraseWithinDays after the first snapshot without it', async () => {
    const { sync, compare, passDays, passTime } = deployment(['CL', 'OLD'])
    await sync('OLD')
    await sync('CL')
    await compare('CL')
    const [deleted] = documentsOf('CL').splice(7, 1)
    const { id } = JSON.parse(String(deleted)) as { id: string }
    passTime(dayMs)
    expect(await sync('CL')).toMatchObject({ status: 'published' })
    expect(await compare('CL')).toMatchObject({ status: 'published', deleted: 1 })
    const stored = keysWith('CL', id)
    expect(stored.some((key) => key.startsWith('snapshots/CL/'))).toBe(true)
    expect(stored.some((key) => key.startsWith('changes/CL/'))).toBe(true)

    await passDays(4)
    // The previous snapshot and the change set can be read until the time is nearly up.
    expect(keysWith('CL', id)).toEqual(stored)
    await passDays(eraseWithinDays - 4)
    expect(keysWith('CL', id)).toEqual([])
    expect(await publishedDocuments('CL')).toBe(44)
  })

  it('is also erased from what a failed run left, without another publication', async () => {
    const { sync, passDays, passTime } = deployment(['CL'])
    passTime(20 * dayMs)
    platform.faults.add({
      match: onScroll({ entity: 'CL', page: 5 }),
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'status', status: 500 },
    })
    const { status } = await sync('CL')
    platform.faults.clear()
    expect(status).toBe('failed')
    const before = bucket.versions.length
    await passDays(eraseWithinDays)
    expect(bucket.versions.length).toBeLessThan(before)
    expect(await publishedDocuments('CL')).toBe(44)
  })

  it('is erased from an entity that is no longer configured, except from its published snapshot', async () => {
    const first = deployment(['OLD'])
    first.passTime(60 * dayMs)
    const [deleted] = documentsOf('OLD').splice(3, 1)
    const { id } = JSON.parse(String(deleted)) as { id: string }
    await first.sync('OLD')
    expect(keysWith('OLD', id).length).toBeGreaterThan(0)
    const { erase, passTime } = deployment([])
    passTime((60 + eraseWithinDays) * dayMs)
    await erase()
    expect(keysWith('OLD', id)).toEqual([])
    expect(await publishedDocuments('OLD')).toBe(19)
    passTime(dayMs)
    expect(await erase()).toMatchObject({ waiting: ['CL', 'OLD'] })
  })
})
