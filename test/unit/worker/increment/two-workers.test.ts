import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../../stored/changes/change-keys.ts'
import { newIncrement, unpublished } from '../../../../stored/run/increment-run.ts'
import { runIdOfExecution } from '../../../../stored/run/run.ts'
import { IncrementTestbed, incrementRequest } from './increment-testbed.ts'

const minute = 60_000
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

describe('an increment that two workers were given', () => {
  it('fails only if the other worker has not recorded how it ended', async () => {
    const request = incrementRequest(runIdOfExecution({ id: 'own', startedAt: testbed.now }))
    testbed.ignoresFilter = true
    testbed.respond = () => {
      const { runId, execution } = request.driver
      const run = newIncrement({ runId, entity: testbed.entity, execution, now: testbed.now })
      const reason = 'Another run has the entity.'
      void testbed.state.createRun(unpublished(run, { status: 'skipped', reason }, testbed.now))
      return undefined
    }
    const events = testbed.events.length
    expect(await testbed.step(request)).toMatchObject({
      status: 'skipped',
      reason: 'Another run has the entity.',
    })
    expect(testbed.events.slice(events)).toEqual([])
  })

  it('is published if its set is, although a failure of the other worker was recorded meanwhile', async () => {
    const request = incrementRequest(runIdOfExecution({ id: 'own', startedAt: testbed.now }))
    testbed.update(2, 'second')
    testbed.now += 5 * minute
    const { publishSet } = testbed.publisher
    testbed.publisher.publishSet = async (...asked) => {
      testbed.publisher.publishSet = publishSet
      const { runId, execution } = request.driver
      const run = newIncrement({ runId, entity: testbed.entity, execution, now: testbed.now })
      await testbed.state.createRun(unpublished(run, { status: 'failed', reason: 'Why.' }, testbed.now))
      return publishSet(...asked)
    }
    const { runId } = request.driver
    expect(await testbed.step(request)).toMatchObject({ status: 'published', records: 1 })
    expect(testbed.logs.at(-1)?.fields).toMatchObject({ runId, status: 'published' })
    expect(testbed.chain()).toMatchObject({ tip: runId })
  })
})

it('an increment that another worker has published and reported is not reported again', async () => {
  const request = incrementRequest(runIdOfExecution({ id: 'own', startedAt: testbed.now }))
  testbed.update(2, 'second')
  testbed.now += 5 * minute
  const { readLatest } = testbed.changes
  const statuses: string[] = []
  // Between the reads of the increment's own item and of the chain.
  testbed.changes.readLatest = async (entity) => {
    testbed.changes.readLatest = readLatest
    statuses.push((await testbed.step(request)).status)
    testbed.now += 1_000
    return readLatest(entity)
  }
  statuses.push((await testbed.step(request)).status)
  expect(statuses).toEqual(['published', 'published'])
  expect(testbed.logs.filter(({ message }) => message === 'increment ended')).toHaveLength(1)
})

describe('the set of an increment on which two workers work', () => {
  const request = () => incrementRequest(runIdOfExecution({ id: 'own', startedAt: testbed.now }))

  /** Another worker of the increment finds one more change, and crashes before it moves the chain. */
  async function rival(asked: ReturnType<typeof request>): Promise<void> {
    const releaseLease = testbed.state.releaseLease.bind(testbed.state)
    testbed.state.releaseLease = () => Promise.reject(new Error('The worker crashed.'))
    testbed.failWrite('latest.json')
    testbed.update(3, 'third', testbed.now - minute)
    await expect(testbed.step(asked)).rejects.toThrow('down')
    testbed.state.releaseLease = releaseLease
  }

  it('is the one that the chain remembers as delivered, although the other one was about to publish its own', async () => {
    const asked = request()
    testbed.update(2, 'second')
    testbed.now += 5 * minute
    testbed.s3.beforePut(changesLatestKey('CL'), () => rival(asked))
    expect(await testbed.step(asked)).toMatchObject({ status: 'published', records: 1 })
    expect(testbed.set()).toMatchObject({ runId: asked.driver.runId, records: 1 })
    expect(testbed.chain().delivered).toEqual(expect.objectContaining({ versions: 1 }))
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
    expect(testbed.readerState().get('3')).toBe(testbed.documents[2])
  })

  it('is never written again once one of them may have published it', async () => {
    const asked = request()
    const { runId } = asked.driver
    testbed.update(2, 'second')
    testbed.now += 5 * minute
    const { writeProposal } = testbed.changes
    testbed.changes.writeProposal = async (...write) => {
      testbed.changes.writeProposal = writeProposal
      await rival(asked)
      return writeProposal(...write)
    }
    expect(await testbed.step(asked)).toMatchObject({ status: 'waiting' })
    const written = testbed.set(runId)
    testbed.update(4, 'fourth')
    expect(await testbed.step(asked)).toMatchObject({ status: 'published', records: 2 })
    expect(testbed.set(runId)).toEqual(written)
    expect(testbed.chain()).toMatchObject({ tip: runId, delivered: { versions: 2 } })
    expect(await testbed.increment()).toMatchObject({ status: 'published', records: 1 })
    expect(testbed.readerState().get('4')).toBe(testbed.documents[3])
  })
})
