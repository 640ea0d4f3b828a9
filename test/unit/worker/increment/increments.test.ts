import { beforeEach, describe, expect, it } from 'vitest'
import { runIdOfExecution } from '../../../../stored/run/run.ts'
import { IncrementTestbed, incrementRequest } from './increment-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

/** A response that ended without a publication. */
const ended = (status: 'skipped' | 'failed', reason: string) => ({
  status,
  reason: expect.stringContaining(reason),
})

describe('an increment', () => {
  it('publishes what changed as a set of its own, which becomes the tip', async () => {
    const base = testbed.chain().tip
    testbed.update(2, 'second')
    testbed.create(5)
    expect(await testbed.increment()).toMatchObject({
      status: 'published',
      kind: 'increment',
      records: 2,
      older: 0,
      withoutId: 0,
      proof: 'exact',
    })
    const { tip, sets } = testbed.chain()
    expect(sets.at(-1)).toEqual({
      runId: tip,
      base,
      kind: 'increment',
      records: 2,
      manifest: `changes/CL/${tip}/manifest.json`,
    })
    expect(testbed.records()).toEqual([
      `{"op":"r","id":2,"after":${testbed.documents[1]}}`,
      `{"op":"r","id":5,"after":${testbed.documents[4]}}`,
    ])
    expect(testbed.set()).toMatchObject({
      kind: 'increment',
      base,
      snapshot: `snapshots/CL/${base}/manifest.json`,
    })
    expect(testbed.readerState().get('2')).toBe(testbed.documents[1])
    expect(testbed.events.at(-1)).toMatchObject({
      type: 'Changes Published',
      detail: { kind: 'increment', base, runId: tip, records: 2 },
    })
    expect(await testbed.state.readIncrement('CL', tip)).toMatchObject({
      kind: 'increment',
      status: 'published',
    })
  })

  it('without records publishes no set and writes no run item, but moves the window', async () => {
    const before = testbed.chain()
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 0, manifest: null })
    const after = testbed.chain()
    expect(after).toMatchObject({ tip: before.tip, sets: before.sets })
    expect(after.window?.to).toBe('2031-01-02T00:06:00Z')
    expect(await testbed.state.listIncrements('CL', 10)).toEqual([])
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
    expect(testbed.keysOf('changes/CL/').length).toBe(3)
  })

  it('leaves out what the lookback repeats, and delivers a further change', async () => {
    testbed.update(2, 'second')
    await testbed.increment()
    expect(await testbed.increment()).toMatchObject({ records: 0 })
    testbed.update(2, 'third')
    expect(await testbed.increment()).toMatchObject({ records: 1 })
    testbed.update(2, 'third', testbed.now - minute)
    expect(await testbed.increment(0)).toMatchObject({ status: 'published' })
  })

  it('leaves out versions that differ in ignored fields only', async () => {
    testbed.update(2, 'second')
    await testbed.increment()
    testbed.documents[1] = `${testbed.documents[1]?.slice(0, -1)},"seen":1}`
    expect(await testbed.increment()).toMatchObject({ records: 0, older: 0 })
  })

  it('records how it ended before it frees the entity, so that the next one begins with that', async () => {
    const { state } = testbed
    const releaseLease = state.releaseLease.bind(state)
    let recorded: string | undefined
    state.releaseLease = async (...released) => {
      recorded = (await state.readEntity('CL')).increments?.last.runId
      return releaseLease(...released)
    }
    const { runId } = await testbed.increment()
    expect(recorded).toBe(runId)
  })

  it('is skipped while a full sync is in progress, without an item of its own', async () => {
    testbed.stepMs = 0
    await testbed.step()
    expect(await testbed.increment(0)).toMatchObject(ended('skipped', 'full sync'))
    expect(await testbed.state.listIncrements('CL', 10)).toEqual([])
  })

  it.each([
    ['of a full set', 0],
    ['that increments have extended', 1],
  ])(
    'is skipped if the snapshot of a chain %s is gone, and the next full sync starts the chain again',
    async (_, increments) => {
      const snapshot = testbed.chain().tip
      for (let at = 0; at < increments; at++) {
        testbed.update(1, 'second')
        await testbed.increment()
      }
      const { tip } = testbed.chain()
      for (const key of testbed.keysOf(`snapshots/CL/${snapshot}/`)) testbed.s3.objects.delete(key)
      testbed.update(2, 'second')
      expect(await testbed.increment()).toMatchObject({
        status: 'skipped',
        reason: "The chain's snapshot is gone. Start a full sync.",
      })
      expect(testbed.chain().tip).toBe(tip)
      await testbed.sync()
      expect(testbed.set()).toMatchObject({ kind: 'reset', reason: "The tip's snapshot is gone." })
      testbed.update(3, 'second')
      expect(await testbed.increment()).toMatchObject({ status: 'published' })
      expect([...testbed.readerState().values()]).toEqual(testbed.documents)
    },
  )

  it('has an item if it is the first of several that are skipped for the same reason', async () => {
    const { entity } = testbed
    testbed.entity = { ...entity, query: { _where: 'value=first' } }
    await testbed.increment()
    await testbed.increment()
    testbed.entity = { ...entity, idField: 'value' }
    await testbed.increment()
    testbed.entity = entity
    await testbed.increment()
    testbed.entity = { ...entity, idField: 'value' }
    await testbed.increment()
    const items = await testbed.state.listIncrements('CL', 10)
    const reasons = items.map((run) => ('reason' in run ? run.reason : run.status))
    expect(reasons.map((reason) => /a different (\w+) from/.exec(reason)?.[1])).toEqual([
      'idField',
      'idField',
      'query',
    ])
  })

  it('stops when a full sync takes the lease, publishes nothing, and leaves its slot until the token has expired', async () => {
    for (let id = 5; id < 10; id++) testbed.create(id)
    const { tip } = testbed.chain()
    const before = testbed.targets.length
    let full = ''
    testbed.respond = (_, target) => {
      if (target.searchParams.has('_token')) return undefined
      if (target.pathname.endsWith('/scroll')) testbed.onFirstPage()
      return undefined
    }
    testbed.onFirstPage = () => {
      testbed.onFirstPage = () => undefined
      void testbed.takeLease().then((runId) => {
        full = runId
      })
    }
    expect(await testbed.increment()).toMatchObject({
      status: 'skipped',
      reason: 'A full sync began and has priority.',
    })
    expect(testbed.chain().tip).toBe(tip)
    expect(testbed.targets.slice(before).filter((target) => target.includes('/scroll'))).toHaveLength(1)
    const takeSlot = () => {
      const { now } = testbed
      return testbed.state.takeScrollSlot({ runId: full, range: 0 }, 1, { now, until: now + minute })
    }
    expect(await takeSlot()).toBe(false)
    testbed.respond = () => undefined
    await testbed.state.releaseLease('CL', full)
    expect(await testbed.increment()).toMatchObject(ended('skipped', 'open'))
    expect(await testbed.increment(21 * minute)).toMatchObject({ status: 'published', records: 5 })
  })

  it('fails without a Date header, or if the clocks differ by more than five minutes', async () => {
    testbed.dateOf = () => undefined
    expect(await testbed.increment()).toMatchObject(ended('failed', 'Date'))
    testbed.dateOf = (now) => new Date(now + day).toUTCString()
    expect(await testbed.increment()).toMatchObject(ended('failed', 'clock'))
  })

  it('fails if the platform ignores the filter', async () => {
    testbed.ignoresFilter = true
    expect(await testbed.increment()).toMatchObject(ended('failed', 'ignores'))
    expect(testbed.chain()).not.toHaveProperty('window')
    testbed.ignoresFilter = false
    testbed.update(1, 'second')
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
  })
})

it.each([
  ['is skipped', 'left a scroll open', {}],
  ['is skipped if a deployment has removed increments since', 'not configured', { increments: undefined }],
])(
  'an increment of an execution whose worker crashed in the middle of its scroll %s, and leaves no lease',
  async (_, reason, since) => {
    const runId = runIdOfExecution({ id: 'own', startedAt: testbed.now })
    const lease = {
      runId,
      worker: 'crashed',
      until: testbed.now + 5 * minute,
      handedOff: false,
      direct: false,
      kind: 'increment',
    } as const
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    const incrementScroll = { runId, until: testbed.now + 22 * minute }
    await testbed.state.renewLease('CL', lease, { incrementScroll })
    testbed.entity = { ...testbed.entity, ...since }
    expect(await testbed.step(incrementRequest(runId))).toMatchObject(ended('skipped', reason))
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  },
)
