import { beforeEach, describe, expect, it } from 'vitest'
import { entityNamed } from '../../entity-named.ts'
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

  it('is that of the deployment with which the run began', async () => {
    const request = testbed.next()
    testbed.failWrite('latest.json')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 100 }
    await expect(testbed.step(request)).rejects.toThrow('down')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 0 }
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })
})

describe('the clean-up after a publication', () => {
  it.each([
    ['keeps the snapshot of the last change set', { ignore: [], maxDeletePercent: 10, keepDays: 30 }, 3],
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
})
