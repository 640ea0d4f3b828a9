import { beforeEach, describe, expect, it } from 'vitest'
import { newRunId, type Run } from '../../../../stored/run/run.ts'
import { latestKey, type Manifest, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { endedBecause } from '../../../ended-because.ts'
import { stepRequest, throttled, WorkerTestbed } from '../worker-testbed.ts'

const day = 24 * 60 * 60_000

let testbed: WorkerTestbed
/** The run of the first snapshot. */
let first: string

const runOf = (id: string): Promise<Run | undefined> => testbed.state.readRun('CL', id)
const manifestOf = (runId: string) =>
  JSON.parse(testbed.s3.objects.get(manifestKey('CL', runId))?.body.toString() ?? 'null') as Manifest
const publishedRun = () =>
  JSON.parse(testbed.s3.objects.get(latestKey('CL'))?.body.toString() ?? '{}').runId as string
const republish = ({ acceptShrink = false } = {}) =>
  stepRequest(newRunId(testbed.now), { kind: 'republish', from: first, acceptShrink })
const pagesOf = ({ pages }: Manifest) => pages.map(({ key }) => testbed.s3.objects.get(key)?.body)

/** Two snapshots: one with three documents, and a day later one with four. */
beforeEach(async () => {
  testbed = new WorkerTestbed()
  first = newRunId(testbed.now)
  await testbed.step(stepRequest(first))
  testbed.now += day
  testbed.documents = ['{"id":1}', '{"id":2}', '{"id":3}', '{"id":4}']
  await testbed.step(stepRequest(newRunId(testbed.now)))
  testbed.now += day
})

describe('a snapshot that is published again', () => {
  it('is a new run with copies of its pages, as of its old time, without a request to the platform', async () => {
    const requests = testbed.targets.length
    const request = republish()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', documents: 3, pages: 2 })
    expect(testbed.targets).toHaveLength(requests)
    expect(publishedRun()).toBe(request.driver.runId)
    const [old, again] = [manifestOf(first), manifestOf(request.driver.runId)]
    expect(again).toEqual({
      ...old,
      runId: request.driver.runId,
      startedAt: new Date(testbed.now).toISOString(),
      spent: { requests: 0, receivedBytes: 0, milliseconds: 0 },
      republishedFrom: first,
      pages: old.pages.map((page) => ({ ...page, key: page.key.replace(first, request.driver.runId) })),
      evidence: { ...again.evidence, key: `snapshots/CL/${request.driver.runId}/evidence.json` },
    })
    expect(pagesOf(again)).toEqual(pagesOf(old))
    expect(await runOf(request.driver.runId)).toMatchObject({
      republishedFrom: first,
      uniqueIds: 3,
      proof: 'exact',
    })
  })

  it('is refused by the guard against shrinking like any other snapshot, and can be accepted', async () => {
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 0 }
    const request = republish()
    const { runId } = request.driver
    expect(await testbed.step(request)).toMatchObject(endedBecause('refused', '25.0% fewer than the 4'))
    const accept = { kind: 'accept', guard: 'snapshot', by: 'alice' } as const
    expect(await testbed.step(stepRequest(runId, accept))).toMatchObject({
      status: 'published',
      documents: 3,
    })
    expect(manifestOf(runId)).toMatchObject({ republishedFrom: first })
  })

  it('that is skipped since another run is in progress names the run that it would have published', async () => {
    testbed.respond = () => throttled
    expect(await testbed.step(stepRequest(newRunId(testbed.now)))).toMatchObject({ status: 'waiting' })
    const request = republish()
    expect(await testbed.step(request)).toMatchObject({ status: 'skipped' })
    expect(await runOf(request.driver.runId)).toMatchObject({ status: 'skipped', republishedFrom: first })
  })

  it('is handed off when the time is up', async () => {
    const request = republish()
    testbed.stepMs = 0
    expect(await testbed.step(request)).toEqual({
      status: 'running',
      entity: 'CL',
      runId: request.driver.runId,
    })
    testbed.stepMs = 780_000
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })

  it.each<[string, () => void, RegExp]>([
    [
      'the snapshot is gone',
      () => testbed.s3.objects.delete(manifestKey('CL', first)),
      / is no longer kept\.$/,
    ],
    [
      'a page is',
      () => testbed.s3.objects.delete(manifestOf(first).pages[1]?.key ?? ''),
      /^The page .* is gone\.$/,
    ],
    [
      'a page is damaged',
      () =>
        testbed.s3.objects.set(manifestOf(first).pages[0]?.key ?? '', {
          body: Buffer.from('x'),
          etag: '"x"',
        }),
      /^The page .* as stored has 1 bytes; \d+ were committed\./,
    ],
  ])('fails if %s, and changes nothing', async (_, damage, reason) => {
    const latest = publishedRun()
    damage()
    expect(await testbed.step(republish())).toMatchObject(endedBecause('failed', reason))
    expect(publishedRun()).toBe(latest)
  })
})
