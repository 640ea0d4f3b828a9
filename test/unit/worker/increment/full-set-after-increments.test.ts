import { beforeEach, describe, expect, it } from 'vitest'
import { setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { runIdOfExecution } from '../../../../stored/run/run.ts'
import { stepRequest } from '../worker-testbed.ts'
import { documentAt, IncrementTestbed, incrementRequest } from './increment-testbed.ts'

const minute = 60_000
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

describe('an increment that another worker has taken over', () => {
  const request = () => incrementRequest(runIdOfExecution({ id: 'own', startedAt: testbed.now }))

  it('leaves lease, slot and status to that worker', async () => {
    const { runId } = request().driver
    const before = await testbed.state.readEntity('CL')
    const lease = { runId, worker: 'other', until: testbed.now + minute, handedOff: false }
    const taken = { ...lease, direct: false, kind: 'increment' } as const
    testbed.respond = () => {
      const claim = { lease: taken, abandonedRuns: [] }
      void testbed.state.readEntity('CL').then((seen) => testbed.state.claimLease('CL', seen, claim))
      return undefined
    }
    expect(await testbed.step(request())).toMatchObject({
      status: 'waiting',
      runId,
      reason: 'Another run or worker took the lease.',
    })
    expect(await testbed.state.readEntity('CL')).toEqual({ ...before, lease: taken })
    const times = { now: testbed.now, until: testbed.now + minute }
    expect(await testbed.state.takeScrollSlot({ runId: 'full', range: 0 }, 1, times)).toBe(false)
    expect(await testbed.state.readRun('CL', runId)).toBeUndefined()
  })

  it('leaves the status to that worker when it has ended the increment', async () => {
    const { runId } = request().driver
    const endedAt = new Date(testbed.now).toISOString()
    const last = { runId, endedAt, status: 'published', reason: null } as const
    const ended = { last, records: {} }
    testbed.respond = () => {
      void testbed.state.setIncrements('CL', ended)
      void testbed.state.releaseLease('CL', runId)
      return undefined
    }
    expect(await testbed.step(request())).toMatchObject({ status: 'waiting', runId })
    expect(await testbed.state.readEntity('CL')).toMatchObject({ increments: ended })
  })
})

it('does not name a full sync if another increment has taken the lease', async () => {
  testbed.respond = () => {
    const lease = { runId: 'newer', worker: 'other', until: testbed.now + minute, handedOff: false }
    const claim = { lease: { ...lease, direct: false, kind: 'increment' }, abandonedRuns: [] } as const
    void testbed.state.readEntity('CL').then((seen) => testbed.state.claimLease('CL', seen, claim))
    return undefined
  }
  const reason = 'Another run or worker took the lease.'
  expect(await testbed.increment()).toMatchObject({ status: 'skipped', reason })
})

/** A document that the window has by its creation, with an update that is years away. */
function pushFromTheFuture(): void {
  const updated = testbed.now + 10 * 365 * 24 * 60 * minute
  testbed.documents.push(documentAt(5, 'ahead', { created: testbed.now, updated }))
}

describe('a full set after increments', () => {
  it('keeps a delivered version that is newer than the snapshot’s', async () => {
    testbed.eraseWithinDays = 8
    const before = String(testbed.documents[1])
    testbed.update(2, 'second')
    await testbed.increment()
    const after = String(testbed.documents[1])
    testbed.documents[1] = before
    await testbed.sync()
    expect(testbed.set()).toMatchObject({
      held: 1,
      unchanged: 3,
      updated: 0,
      baseDocuments: 4,
      stateDocuments: 4,
    })
    expect(testbed.readerState().get('2')).toBe(after)
    const withheldSince = testbed.set().runId
    const runId = await testbed.sync()
    expect(testbed.set()).toMatchObject({ runId, held: 1, withheldSince })
    testbed.now += 3 * 60 * minute
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ held: 0, updated: 1 })
    expect(testbed.readerState().get('2')).toBe(before)
  })

  it('deletes a document that came with a date in the future and went', async () => {
    pushFromTheFuture()
    await testbed.increment()
    testbed.documents.pop()
    testbed.now += 3 * 60 * minute
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 0, stateDocuments: 4 })
  })

  it('replaces a delivered version with a date in the future by the snapshot’s, which has an earlier one', async () => {
    pushFromTheFuture()
    await testbed.increment()
    const corrected = documentAt(5, 'corrected', { created: testbed.now, updated: testbed.now })
    testbed.documents[4] = corrected
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ held: 1, updated: 0 })
    testbed.now += 3 * 60 * minute
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ held: 0, updated: 1 })
    expect(testbed.readerState().get('5')).toBe(corrected)
  })

  it('neither deletes nor reverts what an increment delivered with local times hours behind UTC', async () => {
    const hours = 60 * minute
    const yesterday = testbed.now - 24 * hours
    testbed.documents = [1, 2, 3, 4].map((id) => documentAt(id, 'first', { created: yesterday }))
    const [, before = ''] = testbed.documents
    await testbed.sync()
    testbed.ignoresFilter = true
    const local = testbed.now - 5 * hours
    const after = documentAt(2, 'second', { created: yesterday, updated: local })
    testbed.documents[1] = after
    testbed.create(5, local)
    await testbed.increment()
    testbed.documents.pop()
    testbed.documents[1] = before
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ deleted: 0, withheld: 1, held: 1, updated: 0 })
    expect(testbed.readerState().get('2')).toBe(after)
    testbed.now += 3 * hours
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 0, held: 0, updated: 1 })
  })

  it('protects what was delivered before the previous set for as long, although that set replaced it', async () => {
    testbed.create(5)
    await testbed.increment()
    testbed.documents[4] = documentAt(5, 'dated ahead', {
      created: testbed.now,
      updated: testbed.now + 24 * 60 * minute,
    })
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ updated: 1 })
    testbed.documents.pop()
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ deleted: 0, withheld: 1 })
    testbed.now += 3 * 60 * minute
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 0 })
  })

  it('lets the next increment deliver a version again that it has replaced', async () => {
    testbed.now += minute
    const changedAt = testbed.now
    testbed.update(1, 'second', changedAt)
    const [, ...others] = testbed.documents
    const [second = ''] = testbed.documents
    testbed.update(1, 'third', changedAt)
    const [third = ''] = testbed.documents
    await testbed.increment()
    // The index of the full sync still has a version with the same date.
    testbed.documents = [second, ...others]
    await testbed.sync()
    expect(testbed.readerState().get('1')).toBe(second)
    testbed.documents = [third, ...others]
    expect(await testbed.increment()).toMatchObject({ records: 1 })
    expect(testbed.readerState().get('1')).toBe(third)
    expect(await testbed.increment()).toMatchObject({ records: 0 })
  })

  it('counts changes that windows should have had, and those that are in none', async () => {
    await testbed.increment()
    testbed.create(5, testbed.now - minute)
    testbed.update(2, 'of long ago', testbed.old + 1)
    testbed.update(3, 'after the window', testbed.now + 10 * minute)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ missedByIncrements: 1, invisibleToIncrements: 1 })
  })

  it('counts no document as missed that is back', async () => {
    testbed.create(5)
    await testbed.increment()
    const lost = testbed.documents.splice(4)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ withheld: 1 })
    await testbed.increment()
    testbed.documents.push(...lost)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ withheld: 0, updated: 1, missedByIncrements: 0 })
  })

  it('is compared although an increment began after its run', async () => {
    testbed.create(5)
    await testbed.increment()
    const { tip } = testbed.chain()
    const run = runIdOfExecution({ id: 'late', startedAt: testbed.now - 3 * minute })
    expect(run < tip).toBe(true)
    expect(await testbed.stepToEnd(stepRequest(run))).toMatchObject({ status: 'published' })
    await testbed.compare(run)
    expect(testbed.chain()).toMatchObject({ tip: run })
    expect(await testbed.increment()).toMatchObject({ status: 'published' })
  })
})

it('replaces by an older date what an increment delivered days ago, although the manifest of its set has expired', async () => {
  const older = testbed.documents[1] ?? ''
  testbed.update(2, 'second')
  await testbed.increment()
  const { tip: expired } = testbed.chain()
  testbed.now += 2 * 24 * 60 * minute
  testbed.documents[1] = older
  const { runId } = await testbed.stepToEnd()
  testbed.now += minute
  testbed.update(3, 'after the snapshot was opened')
  expect(await testbed.increment()).toMatchObject({ status: 'published' })
  testbed.s3.objects.delete(setManifestKey('CL', expired))
  await testbed.compare(runId ?? '')
  expect(testbed.readerState().get('2')).toBe(older)
})
