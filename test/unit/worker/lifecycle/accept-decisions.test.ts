import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../../stored/changes/change-keys.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { latestKey, manifestKey, refusedKey } from '../../../../stored/snapshots/manifest.ts'
import { endedBecause } from '../../../ended-because.ts'
import type { WorkerTestbed } from '../worker-testbed.ts'
import { acceptance, beginRefused } from './acceptance.ts'

let testbed: WorkerTestbed
let runId: string

const { accept, runOf, textOf, publishedRun, entityItem } = acceptance(() => ({ testbed, runId }))

beforeEach(async () => {
  ;({ testbed, runId } = await beginRefused())
})

describe('a run that is accepted with its change set', () => {
  const withChanges = () => accept({ withChanges: true })
  const putChain = (tip: string) =>
    testbed.s3.objects.set(changesLatestKey('CL'), {
      body: Buffer.from(JSON.stringify({ tip, sets: [] })),
      etag: '"1"',
    })
  const expectFailed = async (reason: RegExp) => {
    const latest = publishedRun()
    expect(await testbed.step(withChanges())).toMatchObject(endedBecause('failed', reason))
    expect(publishedRun()).toBe(latest)
    expect(await entityItem()).not.toHaveProperty('lease')
  }

  beforeEach(() => putChain(publishedRun() ?? ''))

  it('records that decision, which a repeated execution obeys', async () => {
    testbed.failWrite('latest.json')
    await expect(testbed.step(withChanges())).rejects.toThrow('down')
    expect((await entityItem()).lease).toMatchObject({ accepts: true, withChanges: true })
    expect(await testbed.step(withChanges())).toMatchObject({ status: 'published', runId })
    expect(await testbed.step(withChanges())).toMatchObject({ status: 'published', runId })
    expect(await runOf(runId)).toMatchObject({ accepted: { by: 'alice', withChanges: true } })
  })

  it('is not published if the change sets end at another snapshot than the published one', async () => {
    putChain(newRunId(0))
    await expectFailed(/^The review compares with the snapshot of run .* without its change set\.$/)
    expect(await runOf(runId)).toMatchObject({ status: 'refused' })
  })

  it.each(['publishing', 'published'])(
    'is left to the execution that accepted it without its change set, while it is %s',
    async (state) => {
      if (state === 'publishing') testbed.failWrite('latest.json')
      await testbed.step(accept()).catch(() => undefined)
      const before = [await runOf(runId), await entityItem()]
      expect(await testbed.step(withChanges())).toMatchObject(
        endedBecause('failed', /was accepted without its change set by alice at .*\.$/),
      )
      expect([await runOf(runId), await entityItem()]).toEqual(before)
      expect(await runOf(runId)).toMatchObject({ status: state })
    },
  )
})

it('a run is accepted again whose publication failed after it had moved latest.json', async () => {
  const latest = { runId, manifest: manifestKey('CL', runId), publishedAt: '', documents: 1 }
  testbed.s3.objects.set(latestKey('CL'), { body: Buffer.from(JSON.stringify(latest)), etag: '"1"' })
  expect(await testbed.step(accept())).toMatchObject({ status: 'published', documents: 1 })
})

describe('nothing is accepted', () => {
  const expectFailed = async (reason: RegExp, request = accept()) => {
    const latest = publishedRun()
    expect(await testbed.step(request)).toEqual({
      status: 'failed',
      withoutRun: true,
      entity: 'CL',
      runId: request.driver.runId,
      reason: expect.stringMatching(reason),
    })
    expect(publishedRun()).toBe(latest)
    expect((await entityItem()).lease?.runId).not.toBe(runId)
  }

  it('of a run that does not exist', () => expectFailed(/does not exist/, accept({ of: newRunId(0) })))

  it('of a run that was published without a refusal', async () => {
    const published = publishedRun() ?? ''
    await expectFailed(/^Nothing was refused in run .* status is published\.$/, accept({ of: published }))
  })

  it('if a page is not what the review read', async () => {
    const { key } = JSON.parse(textOf(refusedKey('CL', runId)) ?? '').pages[0]
    testbed.s3.objects.set(key, { body: Buffer.from('other'), etag: '"1"' })
    const reason = `The page ${key} as stored has 5 bytes; 29 were committed. Start the sync again.`
    const latest = publishedRun()
    expect(await testbed.step(accept())).toMatchObject({ status: 'refused', reason })
    expect(publishedRun()).toBe(latest)
    expect(await runOf(runId)).toMatchObject({ status: 'refused', reason })
    expect(testbed.s3.objects.has(manifestKey('CL', runId))).toBe(false)
  })

  it('of an entity that is not configured', async () => {
    testbed.entities = () => []
    await expectFailed(/'CL' is not configured/)
  })
})
