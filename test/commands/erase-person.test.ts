import { gunzipSync } from 'node:zlib'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { readCompareTask } from '../../functions/compare/request.ts'
import { runCompareTask } from '../../functions/compare/run-task.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { openVersions } from '../../operator/aws/stored-versions.aws.ts'
import { readCondition } from '../../operator/history/condition.ts'
import type { EraseContext } from '../../operator/retention/context.ts'
import { type ErasePlan, erase, planErasure } from '../../operator/retention/erase.ts'
import type { Wanted } from '../../operator/retention/person.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
import type { EmbeddedStores } from '../integration/embedded-stores.ts'
import { comparisonOn, startEmbeddedStores, withFreshTable } from '../integration/embedded-stores.ts'
import { entitySettings, syncWorld } from '../integration/sync-world.ts'
import { MemoryS3 } from '../simulation/stores/memory-s3.ts'

const dayMs = 24 * 60 * 60_000
let servers: EmbeddedStores
let platform: Platform
beforeAll(async () => {
  servers = await startEmbeddedStores()
})
afterAll(() => servers.close())

let bucket: MemoryS3
let stores: EmbeddedStores
let world: ReturnType<typeof deployment>
beforeEach(async () => {
  bucket = new MemoryS3()
  stores = { ...(await withFreshTable(servers)), s3: bucket as unknown as S3Client }
  // Failed runs leave scrolls open, of which the platform allows only a few.
  platform = await startPlatform({ documents: { CL: makeDocuments(45) } })
  world = deployment()
  return async () => {
    await Promise.all([platform.close(), stores.close()])
  }
})

/** The real worker and comparison, with a bucket that keeps versions and a clock that can be moved. */
function deployment() {
  const entities = [entitySettings('CL')]
  const syncs = syncWorld({ stores, platform }, entities)
  bucket.now = syncs.now
  const comparison = comparisonOn(stores, syncs.now, () => entities)
  const table = connectTable(stores.table, stores.dynamodb)
  const context: EraseContext = {
    ...comparison,
    snapshots: createSnapshotStore(stores.bucket, stores.s3),
    versions: openVersions(stores.bucket, stores.s3),
    tables: createTableStore(stores.bucket, stores.s3),
    catalog: undefined,
    state: createStateStore(table),
    table,
    uniqueName: () => 'unique',
    onProgress: () => undefined,
  }
  const compare = () => runCompareTask(comparison, entities, readCompareTask({ entity: 'CL' }))
  return {
    ...syncs,
    context,
    compare,
    /** A sync on the next day, and its comparison. */
    async nextDay() {
      syncs.passTime(dayMs)
      return { synced: await syncs.sync('CL'), compared: await compare() }
    },
  }
}

const documents = () => platform.documents.get('CL') as Buffer[]

/** Gives the document another name; its id and its e-mail address stay. */
function rename(at: number, firstName: string) {
  const document = JSON.parse(String(documents()[at])) as object
  documents()[at] = Buffer.from(JSON.stringify({ ...document, firstName }))
}

const planFor = (wanted: Wanted) =>
  planErasure(world.context, {
    entity: 'CL',
    wanted,
    settings: { idField: 'id', changes: { ignore: [], maxDeletePercent: 10, keepDays: 30 } },
    target: { kind: 'stacks', config: undefined, name: undefined },
  })

/** Every version of an object with this text, also in what is compressed. */
const keysWith = (text: string) =>
  bucket.versions
    .filter(({ key, body }) => (key.endsWith('.gz') ? gunzipSync(body) : body).includes(text))
    .map(({ key }) => key)

const summaryOf = ({ places, removal }: ErasePlan) => ({
  kinds: [...new Set(places.map(({ kind }) => kind))],
  chain: removal.chain.kind,
})

async function publishedDocuments(): Promise<number | undefined> {
  const { snapshots } = world.context
  const latest = await snapshots.readLatest('CL')
  const manifest = latest && (await snapshots.readManifest('CL', latest.value.runId))
  expect(manifest?.pages.filter(({ key }) => !bucket.objects.has(key))).toEqual([])
  return manifest?.documents
}

/** A person with versions everywhere, who was then deleted on the platform. */
async function livedAndLeft() {
  const { id, email } = JSON.parse(String(documents()[7])) as { id: string; email: string }
  await world.sync('CL')
  await world.compare()
  rename(7, 'Renamed')
  expect((await world.nextDay()).compared).toMatchObject({ status: 'published', updated: 1 })
  // A run that fails after some pages, and one that is refused.
  platform.faults.add({
    match: onScroll({ entity: 'CL', page: 3 }),
    times: Number.POSITIVE_INFINITY,
    fault: { kind: 'status', status: 500 },
  })
  expect((await world.nextDay()).synced).toMatchObject({ status: 'failed' })
  platform.faults.clear()
  const all = [...documents()]
  documents().splice(15)
  expect((await world.nextDay()).synced).toMatchObject({ status: 'refused' })
  documents().splice(0, 15, ...all)
  documents().splice(7, 1)
  return { id, email }
}

it('a person whom the published snapshot no longer has is in no object and in no version of one afterwards', async () => {
  const { id, email } = await livedAndLeft()
  await expect(planFor({ by: 'id', id })).rejects.toMatchObject({
    message: expect.stringContaining(`contains the document "${id}". Nothing was erased.`) as string,
    fix: expect.stringContaining('sync CL --watch') as string,
  })
  expect((await world.nextDay()).compared).toMatchObject({ status: 'published', deleted: 1 })
  // An old version of an object that was replaced since.
  const page = keysWith(id).find((key) => key.endsWith('.ndjson.gz')) ?? ''
  const Body = Buffer.from(bucket.objects.get(page)?.body ?? '')
  await stores.s3.send(new PutObjectCommand({ Bucket: stores.bucket, Key: page, Body }))
  const before = keysWith(id)
  expect(before.length).toBeGreaterThan(5)

  const plan = await planFor({ by: 'where', condition: readCondition(`email=${email}`), forms: 'exact' })
  expect([...plan.person.ids]).toEqual([JSON.stringify(id)])
  expect(summaryOf(plan)).toEqual({
    kinds: ['snapshot', 'unpublished pages', 'change set'],
    chain: 'shortened',
  })
  expect(keysWith(id)).toEqual(before)

  const { removed: erased } = await erase(world.context, plan)
  expect(erased).toMatchObject({ left: 0 })
  expect(erased.versions).toBeGreaterThanOrEqual(before.length)
  expect(erased.items).toBeGreaterThan(0)
  expect([...keysWith(id), ...keysWith(email)]).toEqual([])
  expect(await publishedDocuments()).toBe(44)
  expect(summaryOf(await planFor({ by: 'id', id }))).toEqual({ kinds: [], chain: 'unchanged' })
  // The chain continues.
  rename(3, 'Next')
  expect((await world.nextDay()).compared).toMatchObject({
    status: 'published',
    kind: 'changes',
    updated: 1,
  })
})
