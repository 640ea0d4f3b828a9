import { beforeEach, describe, expect, it } from 'vitest'
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

describe('an increment that another worker has published and reported', () => {
  it('is not reported again', async () => {
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
})
