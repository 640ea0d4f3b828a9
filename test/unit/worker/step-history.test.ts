import { beforeEach, describe, expect, it } from 'vitest'
import { entityNamed } from '../../entity-named.ts'
import { shrinkingSync } from '../../worker-requests.ts'
import { failOnce, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

/** Runs whose objects are in the bucket. */
const storedRuns = () => [
  ...new Set(
    [...testbed.s3.objects.keys()].flatMap((key) => /^snapshots\/CL\/(\d[^/]+)/.exec(key)?.[1] ?? []),
  ),
]

describe('the guard against shrinking', () => {
  beforeEach(async () => {
    await testbed.step()
    testbed.documents = ['{"id":1}']
    testbed.now += day
  })

  it('refuses a snapshot that lost too many documents', async () => {
    expect(await testbed.step(testbed.next())).toMatchObject({
      status: 'refused',
      documents: 1,
      pages: 1,
      total: 1,
      reason: expect.stringContaining('66.7% fewer than the 3') as string,
    })
  })

  it('publishes it if the sync was started with acceptShrink', async () => {
    expect(await testbed.step({ ...testbed.next(), job: shrinkingSync })).toMatchObject({
      status: 'published',
    })
  })

  it('is that of the deployment with which the run began', async () => {
    const request = testbed.next()
    testbed.failWrite('latest.json')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 100 }
    await expect(testbed.step(request)).rejects.toThrow('down')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 0 }
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })

  it('refuses it if a run with acceptShrink never began', async () => {
    const abandoned = { ...testbed.next(), job: shrinkingSync }
    failOnce(testbed.state, 'createRun')
    await expect(testbed.step(abandoned)).rejects.toThrow('down')
    testbed.now += 6 * minute
    expect(await testbed.step(testbed.next())).toMatchObject({ status: 'refused' })
    expect(await testbed.runOf(abandoned.driver.runId)).toMatchObject({
      status: 'failed',
      acceptShrink: false,
    })
  })
})

describe('the clean-up after a publication', () => {
  it('keeps as many snapshots as configured', async () => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 3 })
    const runs = await testbed.publishDaily(5)
    expect(storedRuns()).toEqual(runs.slice(2))
  })

  it.each([
    [
      'keeps the snapshot that the last change set ended at',
      { ignore: [], maxDeletePercent: 10, keepDays: 30 },
      3,
    ],
    ['deletes it if change sets are off', false as const, 2],
  ])('%s', async (_, changes, kept) => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 2, changes })
    const [tip = ''] = await testbed.publishDaily(1)
    const chain = JSON.stringify({ tip, sets: [] })
    testbed.s3.objects.set('changes/CL/latest.json', { body: Buffer.from(chain), etag: '"1"' })
    await testbed.publishDaily(3)
    expect(storedRuns()).toHaveLength(kept)
    expect(storedRuns().includes(tip)).toBe(changes !== false)
  })

  it('leaves no manifest without its pages if it stops after the first object', async () => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 2 })
    await testbed.publishDaily(2)
    let deleted = 0
    testbed.s3.isDeleteRefused = () => deleted++ > 0
    await testbed.publishDaily(1)
    expect(testbed.logged('clean-up failed')).toHaveLength(1)
    for (const runId of storedRuns()) {
      const pages = (await testbed.snapshots.readManifest('CL', runId))?.pages ?? []
      expect(pages.filter(({ key }) => !testbed.s3.objects.has(key))).toEqual([])
    }
  })

  it('is repeated after a run that was refused', async () => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 2 })
    const [first = ''] = await testbed.publishDaily(2)
    failOnce(testbed.snapshots, 'deleteKeys')
    await testbed.publishDaily(1)
    expect(storedRuns()).toContain(first)
    testbed.documents = ['{"id":1}']
    testbed.now += day
    expect(await testbed.step()).toMatchObject({ status: 'refused' })
    expect(storedRuns()).not.toContain(first)
  })

  it('deletes the pages of a run that failed', async () => {
    testbed.respond = (request) => (request === 2 ? { ...throttled, status: 401 } : undefined)
    const failed = await testbed.step()
    expect(storedRuns()).toEqual([failed.runId])
    testbed.now += day
    const { runId } = await testbed.step()
    expect(storedRuns()).toEqual([runId])
  })

  it('reads no items of newer runs', async () => {
    const read: string[] = []
    const readRun = testbed.state.readRun.bind(testbed.state)
    testbed.state.readRun = (entity, runId) => {
      read.push(runId)
      return readRun(entity, runId)
    }
    const [first = '', second = ''] = await testbed.publishDaily(2)
    expect(read).toContain(first)
    // By the worker that began it.
    expect(read.filter((runId) => runId === second)).toHaveLength(1)
  })
})

describe('the page size of a run', () => {
  const sizes = () => testbed.targets.flatMap((target) => /_size=(\d+)/.exec(target)?.[1] ?? [])

  beforeEach(() => {
    testbed.entity = entityNamed('CL', { pageSize: 400 })
  })

  it('is remembered if a smaller one worked, and doubles after each publication', async () => {
    testbed.respond = (request) => (request < 3 ? { ...throttled, status: 408, headers: {} } : undefined)
    await testbed.publishDaily(1)
    expect(sizes()).toEqual(['400', '200', '100'])
    expect(await testbed.state.readEntity('CL')).toMatchObject({ pageSize: { next: 200, configured: 400 } })
    await testbed.publishDaily(2)
    expect(sizes().slice(3)).toEqual(['200', '400'])
  })

  it('is remembered if the run failed after the first page', async () => {
    testbed.respond = (request) => {
      if (request < 3) return { ...throttled, status: 408, headers: {} }
      return request === 4 ? { ...throttled, status: 401 } : undefined
    }
    expect(await testbed.step()).toMatchObject({ status: 'failed' })
    expect(await testbed.state.readEntity('CL')).toMatchObject({ pageSize: { next: 100, configured: 400 } })
  })

  it('is kept by the worker that continues when the time is up', async () => {
    testbed.requestMs = 780_000
    testbed.respond = (request) => (request === 1 ? { ...throttled, status: 408, headers: {} } : undefined)
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'running' })
    await testbed.step(request)
    expect(sizes()).toEqual(['400', '200'])
  })

  it('is kept by the worker that continues the first request', async () => {
    testbed.respond = (request) => {
      if (request === 1) return { ...throttled, status: 408, headers: {} }
      return request === 2 ? throttled : undefined
    }
    expect(await testbed.stepToEnd(testbed.next())).toMatchObject({ status: 'published' })
    expect(sizes()).toEqual(['400', '200', '200'])
  })
})
