import { beforeEach, describe, expect, it } from 'vitest'
import { newRunId, type RefusedRun } from '../../../../stored/run/run.ts'
import { latestKey, manifestKey, refusedKey } from '../../../../stored/snapshots/manifest.ts'
import { endedBecause } from '../../../ended-because.ts'
import type { WorkerTestbed } from '../worker-testbed.ts'
import { acceptance, beginRefused } from './acceptance.ts'

const minute = 60_000
const day = 24 * 60 * minute

let testbed: WorkerTestbed
let runId: string

const { accept, next, runOf, textOf, publishedRun, entityItem } = acceptance(() => ({ testbed, runId }))

beforeEach(async () => {
  ;({ testbed, runId } = await beginRefused())
})

it('a refused run keeps its pages and the manifest that it would have had', async () => {
  const refused = JSON.parse(textOf(refusedKey('CL', runId)) ?? '')
  expect(refused).toMatchObject({
    version: 1,
    entity: 'CL',
    runId,
    documents: 1,
    uniqueIds: 1,
    proof: 'exact',
  })
  expect(refused.pages).toHaveLength(1)
  for (const { key } of refused.pages) expect(testbed.s3.objects.has(key)).toBe(true)
  expect(testbed.s3.objects.has(manifestKey('CL', runId))).toBe(false)
})

describe('an accepted run', () => {
  it('publishes exactly what was refused, without a request to the platform, and names who accepted it', async () => {
    const refused = textOf(refusedKey('CL', runId))
    testbed.documents = []
    const requests = testbed.targets.length
    expect(await testbed.step(accept())).toMatchObject({ status: 'published', runId, documents: 1 })
    expect(testbed.targets).toHaveLength(requests)
    expect(textOf(manifestKey('CL', runId))).toBe(refused)
    expect(publishedRun()).toBe(runId)
    expect(await runOf(runId)).toMatchObject({
      status: 'published',
      accepted: { by: 'alice' },
      documents: 1,
      uniqueIds: 1,
    })
    expect(await entityItem()).not.toHaveProperty('lease')
    expect(await entityItem()).toMatchObject({ latest: { runId } })
    expect(testbed.events.at(-1)).toMatchObject({
      type: 'Snapshot Published',
      detail: { runId, by: 'alice' },
    })
    expect(testbed.logged('run ended').at(-1)?.fields).toMatchObject({
      runId,
      status: 'published',
      by: 'alice',
    })
    expect(testbed.s3.objects.has(refusedKey('CL', runId))).toBe(false)
  })

  it('has the duration until it was refused, however long the decision took', async () => {
    const before = await runOf(runId)
    testbed.now += day
    await testbed.step(accept())
    const [refused, published] = testbed.logged('run ended').slice(-2)
    expect(published?.fields['durationSeconds']).toBe(refused?.fields['durationSeconds'])
    const refusedAt = before && 'endedAt' in before ? before.endedAt : ''
    expect(await runOf(runId)).toMatchObject({
      accepted: { refusedAt },
      endedAt: new Date(testbed.now).toISOString(),
    })
  })

  it.each(['manifest.json', 'latest.json'])(
    'is left to its execution while that has the lease, and published by another one if it crashed before %s',
    async (name) => {
      testbed.failWrite(name)
      await expect(testbed.step(accept())).rejects.toThrow('down')
      const crashed = await runOf(runId)
      expect(crashed).toMatchObject({ status: 'publishing', accepted: { by: 'alice' } })
      const again = accept({ by: 'bob' })
      const driver = { ...again.driver, execution: 'arn:another-execution' }
      const another = () => testbed.step({ ...again, driver })
      expect(await another()).toMatchObject({ status: 'waiting', runId, waitSeconds: 15 })
      expect(await runOf(runId)).toEqual(crashed)
      testbed.now += 6 * minute
      expect(await another()).toMatchObject({ status: 'published' })
      const published = await runOf(runId)
      expect(published).toMatchObject({ accepted: { by: 'alice' }, execution: driver.execution })
      // By its worker, a late write of the crashed one is told apart.
      expect(published?.worker).not.toBe(crashed?.worker)
    },
  )

  it('is refused again if it cannot be published', async () => {
    const before = await runOf(runId)
    const latest = { runId: newRunId(testbed.now), manifest: 'm', publishedAt: '', documents: 1 }
    testbed.s3.onWrite = (key) => {
      if (!key.endsWith('/manifest.json')) return
      testbed.s3.onWrite = undefined
      testbed.s3.objects.set(latestKey('CL'), { body: Buffer.from(JSON.stringify(latest)), etag: '"newer"' })
    }
    const reason = expect.stringMatching(/^The newer run .* has published in the meantime\.$/) as string
    expect(await testbed.step(accept())).toMatchObject({ status: 'refused', reason })
    expect(await runOf(runId)).toMatchObject({
      status: 'refused',
      reason,
      accepted: { refusal: before && 'reason' in before ? before.reason : '' },
      documents: 1,
    })
    expect(await entityItem()).not.toHaveProperty('lease')
  })

  it('keeps the reason of its guard, however often it is accepted', async () => {
    const before = await runOf(runId)
    testbed.publisher.publish = async () => ({ kind: 'damaged', reason: 'A page is gone.' })
    for (const _ of [1, 2]) {
      expect(await testbed.step(accept())).toMatchObject({ status: 'refused', reason: 'A page is gone.' })
    }
    const { reason, endedAt } = before as RefusedRun
    expect(await runOf(runId)).toMatchObject({ accepted: { refusal: reason, refusedAt: endedAt } })
  })

  it('has the lease: a run that starts in the meantime is skipped', async () => {
    const lease = {
      runId,
      worker: 'accept#name',
      until: testbed.now + 5 * minute,
      handedOff: true,
      direct: false,
      accepts: true,
    }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    expect(await testbed.step(next())).toMatchObject(endedBecause('skipped', runId))
    expect(await testbed.step(accept())).toMatchObject({ status: 'published' })
  })

  it('gives way if its acceptance never began', async () => {
    const until = testbed.now + 5 * minute
    const lease = { runId, worker: 'accept#name', until, handedOff: true, direct: false, accepts: true }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    testbed.now = until
    testbed.documents = ['{"id":1}', '{"id":2}', '{"id":3}']
    expect(await testbed.step(next())).toMatchObject({ status: 'published' })
    expect(await runOf(runId)).toMatchObject({ status: 'refused' })
  })
})

it.each([
  [undefined, undefined, 'alice'],
  ['r1', 'r2', 'alice'],
  ['r2', 'r2', 'alice'],
  // Nobody can have accepted it.
  ['r3', 'r2', 'alice'],
  ['r3', 'r3', 'bob'],
  // It reviewed a refusal that has been replaced.
  ['r2', 'r2', 'bob', '2026-01-02T00:00:00.000Z'],
])(
  'stores who accepted a change set: after %s, while %s is published',
  async (...[before, published, by, refusedAt]) => {
    const seen = before && { runId: before, by: 'bob', execution: 'another', refusedAt }
    if (seen) await testbed.state.acceptChanges('CL', { seen: undefined, acceptance: seen })
    const latest = published && { runId: published, manifest: 'm', publishedAt: 'now', documents: 1 }
    if (latest) await testbed.state.setLatest('CL', latest)
    for (let repeated = 0; repeated < 2; repeated++) {
      const response = await testbed.step(
        accept({ guard: 'changes', of: 'r2', refusedAt: '2026-01-01T00:00:00.000Z' }),
      )
      expect(response).toEqual({ status: 'published', entity: 'CL', runId: 'r2' })
      expect(await entityItem()).toMatchObject({ acceptedChanges: { by } })
    }
  },
)
