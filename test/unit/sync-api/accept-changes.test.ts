import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, refusedChangesKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import { newIncrement } from '../../../stored/run/increment-run.ts'
import { acceptanceInput } from '../../../stored/run/job.ts'
import { refused } from '../../../stored/run/run-changes.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { entityNamed } from '../../entity-named.ts'
import { acceptCalls, asAlice, contextOf } from './accept-calls.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const progress = { documents: 1, pages: 1, total: 1, rangeProgress: [] }
let testbed: SyncApiTestbed
let runId: string

const { put, publish, accept, manifestOf, expectConflict } = acceptCalls(() => ({ testbed, runId }))

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

describe('accepting a refused change set', () => {
  const guard = 'changes'
  let base: string

  beforeEach(async () => {
    const run = testbed.runAt(-60)
    runId = run.runId
    base = testbed.runAt(-120).runId
    await testbed.state.createRun(run)
    publish(runId)
    for (const stored of [base, runId]) put(manifestKey('CL', stored), manifestOf(stored))
    put(changesLatestKey('CL'), { tip: base, sets: [] })
    put(refusedChangesKey('CL', runId), {
      version: 1,
      entity: 'CL',
      runId,
      base,
      kind: 'changes',
      deleted: 50,
      reviewedParts: [],
    })
  })

  it('starts an execution that compares the run again', async () => {
    expect(await accept({ guard })).toMatchObject({ status: 202, body: { runId, entity: 'CL' } })
    expect(testbed.started[0]?.input).toEqual({
      entity: 'CL',
      accept: { runId, guard, by: 'unknown caller' },
    })
  })

  it('gives five callers at once the same response, and starts one execution that names the first', async () => {
    const callers = ['ana', 'ben', 'cai', 'dot', 'eve'].map((sub) => ({
      requestContext: contextOf({ jwt: { claims: { sub } } }),
    }))
    const responses = await Promise.all(callers.map((caller) => accept({ guard }, caller)))
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(202))
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(new Set(testbed.started.map((started) => JSON.stringify(started))).size).toBe(1)
  })

  it('is repeated under the same name while its execution runs, also after a crash before its start', async () => {
    testbed.stateMachineError = new Error('down')
    expect(await accept({ guard }, asAlice)).toMatchObject({ status: 500 })
    testbed.stateMachineError = undefined
    const other = testbed.runAt(-1)
    await testbed.state.createRun(other)
    await testbed.lease(other.runId)
    for (const _ of [1, 2]) expect(await accept({ guard })).toMatchObject({ status: 202, body: { runId } })
    expect(testbed.started[0]?.input).toMatchObject({ accept: { by: 'user/alice' } })
    expect(testbed.started[1]).toEqual(testbed.started[0])
  })

  it('starts nothing else while an execution runs that an operator started', async () => {
    const refusedAt = '2026-03-01T00:00:00.000Z'
    const acceptance = { runId, by: 'bob', execution: 'of bob', refusedAt }
    await testbed.state.acceptChanges('CL', { seen: undefined, acceptance })
    expect(await accept({ guard }, asAlice)).toMatchObject({ status: 202 })
    const [started] = testbed.started
    const input = acceptanceInput('CL', { by: 'bob', refusedAt, guard, runId })
    expect([started?.name, JSON.stringify(started?.input)]).toEqual(['of bob', JSON.stringify(input)])
  })

  it('starts another execution once the first has ended in vain', async () => {
    await accept({ guard }, asAlice)
    testbed.ended.add(testbed.started[0]?.name ?? '')
    expect(await accept({ guard })).toMatchObject({ status: 202 })
    const [first, , second] = testbed.started
    expect(second?.name).not.toBe(first?.name)
    expect(second?.input).toMatchObject({ accept: { by: 'unknown caller' } })
  })

  it('starts nothing once the set is accepted', async () => {
    put(changesLatestKey('CL'), { tip: runId, sets: [{ runId, base }] })
    put(setManifestKey('CL', runId), { version: 1, entity: 'CL', runId, base, by: 'alice' })
    expect(await accept({ guard })).toMatchObject({ status: 202 })
    expect(testbed.started).toEqual([])
  })

  it('is refused if the set was published without a refusal', async () => {
    put(changesLatestKey('CL'), { tip: runId, sets: [{ runId, base }] })
    put(setManifestKey('CL', runId), { version: 1, entity: 'CL', runId, base })
    testbed.s3.objects.delete(refusedChangesKey('CL', runId))
    await expectConflict(/^Nothing was refused/, { guard })
  })

  it('is refused once a newer run has published', async () => {
    publish(testbed.runAt(-1).runId)
    await expectConflict(/^The newer run /, { guard })
  })

  it('is refused while another run is in progress', async () => {
    const other = testbed.runAt(-1)
    await testbed.state.createRun(other)
    await testbed.lease(other.runId)
    expect(await accept({ guard })).toMatchObject({ status: 409, body: { runId: other.runId } })
  })

  /** A worker that accepts the snapshot of a run has its lease. */
  const acceptingLease = async (acceptedRunId: string) => {
    const lease = { ...(await testbed.lease(acceptedRunId)), accepts: true }
    await testbed.state.claimLease('CL', await testbed.state.readEntity('CL'), { lease, abandonedRuns: [] })
  }

  it('is refused while the snapshot of a refused run is about to be published', async () => {
    const other = testbed.runAt(-1)
    await testbed.state.createRun(refused(other, { reason: 'Too few.', progress, now: testbed.now }))
    await acceptingLease(other.runId)
    expect(await accept({ guard })).toMatchObject({ status: 409, body: { runId: other.runId } })
    expect(testbed.started).toEqual([])
  })

  it('is not prevented by the lease that the run itself left when its snapshot was accepted', async () => {
    await acceptingLease(runId)
    expect(await accept({ guard })).toMatchObject({ status: 202 })
  })

  it('is refused while an increment is in progress', async () => {
    const increment = newIncrement({
      runId: testbed.runAt(-1).runId,
      entity: entityNamed('CL'),
      execution: undefined,
      now: testbed.now,
    })
    await testbed.state.createRun(increment)
    await testbed.lease(increment.runId)
    expect(await accept({ guard })).toMatchObject({ status: 409, body: { runId: increment.runId } })
    expect(testbed.started).toEqual([])
  })
})
