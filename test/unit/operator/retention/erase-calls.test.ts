import { gunzipSync } from 'node:zlib'
import { DeleteObjectsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeAll, describe, expect, it } from 'vitest'
import { erase, planErasure } from '../../../../operator/retention/erase.ts'
import type { ObjectVersion } from '../../../../stored/object-versions.aws.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { numbersToTry } from '../../../case-count.ts'
import { callsOf, withCall } from '../../store-calls.ts'
import { IncrementTestbed } from '../../worker/increment/increment-testbed.ts'
import { contextOf, requestFor } from './context-of.ts'

const hour = 3_600_000

/** Snapshots, sets and increments with the document 2, of which the last snapshot no longer has it. */
async function prepare() {
  const testbed = new IncrementTestbed()
  testbed.s3.now = () => testbed.now
  await testbed.begin()
  testbed.update(2, 'person, as an increment found them')
  await testbed.increment()
  testbed.update(2, 'person, as a full sync found them')
  testbed.now += hour
  await testbed.sync()
  testbed.documents.splice(1, 1)
  testbed.now += 3 * hour
  await testbed.sync()
  return { testbed, plan: await planErasure(contextOf(testbed), requestOf(testbed)) }
}

const requestOf = (testbed: IncrementTestbed) => requestFor(testbed, '2')

let world: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => {
  world = await prepare()
})

function prepared() {
  const testbed = world.testbed.copy()
  return { testbed, run: (change = {}) => erase({ ...contextOf(testbed), ...change }, world.plan) }
}

/** The search and the erasure again. */
const repeat = async (testbed: IncrementTestbed) =>
  erase(contextOf(testbed), await planErasure(contextOf(testbed), requestOf(testbed)))

const textOf = (key: string, body: Uint8Array) => String(key.endsWith('.gz') ? gunzipSync(body) : body)

/** The versions of objects that contain the person. */
const left = ({ s3 }: IncrementTestbed) =>
  s3.versions.filter(({ key, body }) => textOf(key, body).includes('person')).map(({ key }) => key)

/** Every manifest has its pages, and readers can begin or are told that they cannot. */
function expectWhole(testbed: IncrementTestbed): void {
  for (const key of testbed.keysOf('snapshots/CL/').filter((name) => name.endsWith('/manifest.json')))
    expect(testbed.json<Manifest>(key).pages.filter((page) => !testbed.s3.objects.has(page.key))).toEqual([])
  const { sets, reset } = testbed.chain()
  for (const { runId } of sets) testbed.records(runId)
  if (reset === null) testbed.readerState()
}

describe('an erasure', () => {
  it('leaves everything whole if it stops at any of its calls, and is completed when it is repeated', async () => {
    const undisturbed = prepared()
    expect(left(undisturbed.testbed).length).toBeGreaterThan(3)
    const calls = await callsOf(undisturbed.testbed, undisturbed.run)
    expect(left(undisturbed.testbed)).toEqual([])
    const items = ({ dynamodb }: IncrementTestbed) => dynamodb.all().map(({ pk, sk }) => `${pk} ${sk}`)
    for (const call of numbersToTry(calls)) {
      const { testbed, run } = prepared()
      await withCall(testbed, { call, happens: { kind: 'crash' } }, run)
      expectWhole(testbed)
      expect((await repeat(testbed)).removed.left).toBe(0)
      expectWhole(testbed)
      expect([left(testbed), items(testbed)]).toEqual([[], items(undisturbed.testbed)])
    }
  })

  it('of a removed entity whose manifest is missing suggests to configure the entity again or to purge it', async () => {
    const { testbed } = prepared()
    const manifests = testbed.keysOf('snapshots/CL/').filter((key) => key.endsWith('/manifest.json'))
    for (const key of manifests) testbed.s3.objects.delete(key)
    const removed = { ...requestOf(testbed), settings: undefined }
    await expect(planErasure(contextOf(testbed), removed)).rejects.toMatchObject({
      fix: expect.stringMatching(/^configure CL again and deploy, then run .* purge CL$/) as string,
    })
  })

  it('is refused while a page of the published snapshot is missing, since nobody knows what it contained', async () => {
    const { testbed } = prepared()
    const [page = ''] = testbed.keysOf(`snapshots/CL/${testbed.chain().tip}/a`)
    await testbed.s3.send(
      new DeleteObjectsCommand({ Bucket: 'snapshots', Delete: { Objects: [{ Key: page }] } }),
    )
    await expect(planErasure(contextOf(testbed), requestOf(testbed))).rejects.toMatchObject({
      message: `The page ${page} of the published snapshot cannot be read. Nothing was erased.`,
      fix: expect.stringContaining('verify CL --repair') as string,
    })
  })

  it('deletes the items with the ids of the pages that it deletes, and no others', async () => {
    const { testbed, run } = prepared()
    const items = () => testbed.dynamodb.all().map(({ pk, sk }) => `${pk} ${sk}`)
    const before = items()
    const { removed } = await run()
    const gone = before.filter((item) => !items().includes(item))
    expect(gone).toHaveLength(removed.items)
    expect(gone.length).toBeGreaterThan(0)
    const { tip } = testbed.chain()
    expect(gone.filter((item) => !item.includes(' page#') || item.includes(tip))).toEqual([])
  })

  it('leaves no manifest without its objects if it is interrupted between any two versions', async () => {
    for (let isInterrupted = true, allowed = 0; isInterrupted; allowed++) {
      const { testbed, run } = prepared()
      let deleted = 0
      testbed.s3.isDeleteRefused = () => deleted++ >= allowed
      isInterrupted = await run().then(
        () => false,
        () => true,
      )
      expectWhole(testbed)
    }
  })

  it.each<[string, (testbed: IncrementTestbed) => Promise<unknown>]>([
    ['an increment', (testbed) => testbed.increment(0)],
    ['a full sync', (testbed) => testbed.sync()],
  ])('erases the rest, or refuses, if something else works before any of its calls: %s', async (_, work) => {
    const undisturbed = prepared()
    const calls = await callsOf(undisturbed.testbed, undisturbed.run)
    for (const call of numbersToTry(calls)) {
      const { testbed, run } = prepared()
      testbed.now += 60_000
      testbed.update(1, 'another')
      const rival = { kind: 'rival', work: () => work(testbed) } as const
      await withCall(testbed, { call, happens: rival }, run)
      expectWhole(testbed)
      expect(left(testbed)).toEqual([])
      expect(await testbed.increment(60_000)).toMatchObject({
        status: expect.stringMatching(/published|skipped/),
      })
    }
  })

  it.each([
    ['no more than 5 minutes ago', undefined, 1, /^The run r9 of CL is in progress\. Nothing was erased\.$/],
    ['longer ago', undefined, 0, /^$/],
    ['by an increment, which does not publish once the chain has moved', 'increment', 1, /^$/],
  ] as const)('waits for the run that renewed its lease %s', async (...[, kind, leftMs, expected]) => {
    const { testbed } = prepared()
    const context = contextOf(testbed)
    const lease = { runId: 'r9', until: testbed.now + leftMs, kind }
    const state = { ...context.state, readEntity: async () => ({ lease }) as never }
    const refused = planErasure({ ...context, state }, requestOf(testbed)).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(await refused).toMatch(expected)
  })

  it('is refused while a run is in progress that began after the search', async () => {
    const { testbed, run } = prepared()
    const before = left(testbed)
    const runId = await testbed.takeLease()
    await expect(run()).rejects.toThrow(`The run ${runId} of CL is in progress. Nothing was erased.`)
    expect(left(testbed)).toEqual(before)
  })

  it('is refused if the documents were published again after the search', async () => {
    const { testbed, run } = prepared()
    const before = left(testbed)
    testbed.now += hour
    testbed.documents.splice(1, 0, testbed.documents[0] ?? '')
    testbed.update(2, 'another')
    await testbed.sync()
    await expect(run()).rejects.toThrow(
      `The published snapshot of CL (run ${testbed.chain().tip}) contains the document "2". Nothing was erased.`,
    )
    expect(left(testbed)).toEqual(before)
  })

  it('has searched also what was written since the search', async () => {
    const { testbed, run } = prepared()
    testbed.now += hour
    testbed.update(1, 'another')
    await testbed.sync()
    const [page = ''] = testbed.keysOf('snapshots/CL/').filter((key) => key.endsWith('.gz'))
    const Key = page.replace(/[^/]+$/, 'a9-p000001-damaged.ndjson.gz')
    await testbed.s3.send(new PutObjectCommand({ Bucket: 'b', Key, Body: Buffer.from('damaged') }))
    const before = world.plan.searched
    const known = new Set(world.plan.stored.versions.map(({ key }) => key))
    const written = testbed.s3.versions.filter(({ key }) => key.endsWith('.gz') && !known.has(key))
    const bytes = written.reduce((sum, { body }) => sum + body.length, 0)
    const { searched } = (await run()).plan
    expect(written.length).toBeGreaterThan(1)
    expect(searched).toMatchObject({
      versions: before.versions + written.length,
      bytes: before.bytes + bytes,
      unreadable: [{ key: Key }],
    })
  })

  it('waits for a comparison only of an entity that has change sets', async () => {
    const { testbed } = prepared()
    testbed.now += hour
    const { status } = await testbed.stepToEnd()
    expect(status).toBe('published')
    const request = requestOf(testbed)
    await expect(planErasure(contextOf(testbed), request)).rejects.toThrow('may still be compared')
    const settings = { ...testbed.entity, changes: false } as const
    expect((await planErasure(contextOf(testbed), { ...request, settings })).places.length).toBeGreaterThan(0)
    const { changes } = testbed
    // The next set compares nothing.
    const reset = async () => ({ etag: '', value: { ...testbed.chain(), reset: 'Erased.' } })
    const context = { ...contextOf(testbed), changes: { ...changes, readLatest: reset } }
    expect((await planErasure(context, request)).places.length).toBeGreaterThan(0)
  })

  it('counts what was written meanwhile and cannot be read, since it may contain the documents', async () => {
    const { testbed, run } = prepared()
    const { versions } = contextOf(testbed)
    const [page = ''] = testbed.keysOf('snapshots/CL/').filter((key) => key.endsWith('.gz'))
    const writing = {
      ...versions,
      async deleteVersions(all: readonly ObjectVersion[]) {
        await versions.deleteVersions(all)
        if (all.length === 0) return
        const written = page.replace(/[^/]+$/, 'a9-p000001-damaged.ndjson.gz')
        await testbed.s3.send(new PutObjectCommand({ Bucket: 'b', Key: written, Body: 'damaged' }))
      },
    }
    expect((await run({ versions: writing })).removed.left).toBe(1)
  })
})
