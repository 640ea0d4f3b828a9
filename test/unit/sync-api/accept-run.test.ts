import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../stored/changes/change-keys.ts'
import type { RefusedRun } from '../../../stored/run/run.ts'
import { accepted, failed, published, refused } from '../../../stored/run/run-changes.ts'
import { refusedKey } from '../../../stored/snapshots/manifest.ts'
import { acceptCalls, asAlice, contextOf } from './accept-calls.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const progress = { documents: 1, pages: 1, total: 1, rangeProgress: [] }
let testbed: SyncApiTestbed
let runId: string

const { put, publish, accept, manifestOf, expectConflict } = acceptCalls(() => ({ testbed, runId }))

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

describe('accepting a refused snapshot', () => {
  beforeEach(async () => {
    const run = testbed.runAt(-60)
    runId = run.runId
    await testbed.state.createRun(refused(run, { reason: 'Too few.', progress, now: testbed.now }))
    put(refusedKey('CL', runId), manifestOf(runId))
  })

  it('starts an execution of its own with who accepted it, and leases the entity to the run', async () => {
    const { status, body } = await accept(undefined, asAlice)
    const statusUrl = `https://api.example.com/syncs/CL/runs/${runId}`
    expect([status, body]).toEqual([202, { runId, entity: 'CL', statusUrl }])
    const [{ name, input } = { name: '', input: {} }] = testbed.started
    expect(name).toMatch(new RegExp(`^accept-${runId}-[0-9a-f]{12}$`))
    expect(name.length).toBeLessThanOrEqual(80)
    expect(input).toEqual({
      entity: 'CL',
      accept: { runId, guard: 'snapshot', by: 'user/alice' },
    })
    expect((await testbed.state.readEntity('CL')).lease).toMatchObject({
      runId,
      handedOff: true,
      accepts: true,
    })
    expect((await testbed.readRun(runId)).body).toMatchObject({ status: 'refused' })
    expect(await testbed.start()).toMatchObject({ status: 409, body: { runId } })
  })

  it.each([
    [
      'a session of a role',
      { iam: { userArn: 'arn:aws:sts::1:assumed-role/Ops/a:b' } },
      'assumed-role/Ops/a:b',
    ],
    ['the subject of a token', { jwt: { claims: { sub: 'alice', client_id: 'shop' } } }, 'alice'],
    ['the client of a token', { jwt: { claims: { client_id: 'shop' } } }, 'shop'],
    ['an unknown caller', {}, 'unknown caller'],
  ])('names %s', async (_, authorizer, by) => {
    await accept(undefined, { requestContext: contextOf(authorizer) })
    expect(testbed.started[0]?.input).toMatchObject({ accept: { by } })
  })

  it('is repeated under the same name until a worker has begun, and starts nothing afterwards', async () => {
    const first = await accept()
    expect(await accept()).toEqual(first)
    expect(testbed.started[1]?.name).toBe(testbed.started[0]?.name)
    const { lease } = await testbed.state.readEntity('CL')
    if (!lease) throw new Error('There is no lease.')
    await testbed.state.claimLease('CL', { lease }, { lease: { ...lease, worker: 'w' }, abandonedRuns: [] })
    expect(await accept()).toEqual(first)
    expect(testbed.started).toHaveLength(2)
  })

  async function reopen(by = 'alice') {
    const run = (await testbed.state.readRun('CL', runId)) as RefusedRun
    const result = { documents: 1, uniqueIds: 1, proof: 'exact' } as never
    const decision = { by, result, worker: 'w', execution: 'e', now: testbed.now }
    return testbed.state.reopenRun(accepted(run, decision))
  }

  async function publishAccepted() {
    await testbed.state.writeRun(published(await reopen(), { manifest: 'key', progress, now: testbed.now }))
    testbed.s3.objects.delete(refusedKey('CL', runId))
  }

  it.each(['publishing', 'published'])('starts nothing once the accepted run is %s', async (state) => {
    await (state === 'publishing' ? reopen() : publishAccepted())
    expect(await accept()).toMatchObject({ status: 202, body: { runId } })
    expect(testbed.started).toEqual([])
    expect((await testbed.readRun(runId)).body).toMatchObject({ status: state, by: 'alice' })
  })

  it('releases the lease if the execution cannot be started', async () => {
    testbed.stateMachineError = new Error('down')
    expect(await accept()).toMatchObject({ status: 500 })
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  })

  it('is refused with the run that has the lease', async () => {
    const other = testbed.runAt(-1)
    await testbed.state.createRun(other)
    await testbed.lease(other.runId)
    expect(await accept()).toMatchObject({
      status: 409,
      body: {
        type: 'urn:longshore:problem:sync-running',
        runId: other.runId,
        statusUrl: `https://api.example.com/syncs/CL/runs/${other.runId}`,
      },
    })
    expect(testbed.started).toEqual([])
  })

  it('is refused once a newer run has published', async () => {
    const newer = testbed.runAt(-1).runId
    publish(newer)
    await expectConflict(new RegExp(`^The newer run ${newer} has published`))
  })

  it('is refused if its pages are gone', async () => {
    testbed.s3.objects.delete(`snapshots/CL/${runId}/a1-p000001-x.ndjson.gz`)
    await expectConflict(/is gone/)
  })

  it('is refused without documents, unless allowEmpty is set', async () => {
    put(refusedKey('CL', runId), { ...manifestOf(runId), documents: 0, uniqueIds: 0, pages: [] })
    await expectConflict(/Set allowEmpty for CL/)
    testbed.entities = testbed.entities.map((entity) => ({ ...entity, allowEmpty: true }))
    expect(await accept()).toMatchObject({ status: 202 })
  })

  describe('with its change set', () => {
    const withChanges = { guard: 'snapshot', withChanges: true }
    let published: string
    const publishedAt = (minutes: number) => new Date(testbed.now + minutes * 60_000).toISOString()

    beforeEach(() => {
      published = testbed.runAt(-120).runId
      publish(published, publishedAt(-119))
      put(changesLatestKey('CL'), { tip: published, sets: [] })
    })

    it('starts an execution that accepts both', async () => {
      expect(await accept(withChanges)).toMatchObject({ status: 202, body: { runId } })
      const by = 'unknown caller'
      expect(testbed.started[0]?.input).toEqual({ entity: 'CL', accept: { runId, ...withChanges, by } })
      expect((await testbed.state.readEntity('CL')).lease).toMatchObject({ accepts: true, withChanges: true })
    })

    it('is repeated with the same decision, whatever a repeated request asks for', async () => {
      const first = await accept(withChanges)
      expect(await accept()).toEqual(first)
      expect(await accept(withChanges)).toEqual(first)
      expect(testbed.started.map(({ name, input }) => ({ name, input }))).toEqual(
        Array(3).fill(testbed.started[0]),
      )
    })

    it('is refused if the change sets end at another snapshot than the published one', async () => {
      const tip = testbed.runAt(-180).runId
      put(changesLatestKey('CL'), { tip, sets: [] })
      await expectConflict(
        new RegExp(`snapshot of run ${published}, and the change set would start from that of run ${tip}`),
        withChanges,
      )
    })

    it('is refused if the entity has no change set yet', async () => {
      testbed.s3.objects.delete(changesLatestKey('CL'))
      await expectConflict(/^The entity has no change set yet/, withChanges)
    })

    it.each([
      [undefined, 409],
      [true, 202],
    ] as const)('is decided by the accepted run: with %s it is a %i', async (decided, status) => {
      const run = (await testbed.state.readRun('CL', runId)) as RefusedRun
      const result = { documents: 1, uniqueIds: 1, proof: 'exact' } as never
      const by = { by: 'alice', withChanges: decided }
      await testbed.state.reopenRun(
        accepted(run, { ...by, result, worker: 'w', execution: 'e', now: testbed.now }),
      )
      expect(await accept(withChanges)).toMatchObject({ status })
      expect(await accept()).toMatchObject({ status: 202 })
      expect(testbed.started).toEqual([])
    })
  })

  it('is a 404 for a run that does not exist', async () => {
    runId = testbed.runAt(-5).runId
    expect(await accept()).toMatchObject({ status: 404 })
  })
})

it('accepts no run that failed', async () => {
  const run = testbed.runAt(-60)
  runId = run.runId
  await testbed.state.createRun(failed(run, { reason: 'Why.', progress, now: testbed.now }))
  await expectConflict(/^Nothing was refused in run .*: its status is failed\.$/)
})

it.each([
  ['nothing', ''],
  ['no guard', '{}'],
  ['another guard', '{"guard": "all"}'],
  ['another member', '{"guard": "snapshot", "force": true}'],
  ['no object', '[]'],
  ['a change set with its change set', '{"guard": "changes", "withChanges": true}'],
  ['a change set with a text', '{"guard": "snapshot", "withChanges": "yes"}'],
])('the body names the guard: %s is a 400', async (_, body) => {
  const run = testbed.runAt(-60)
  runId = run.runId
  await testbed.state.createRun(refused(run, { reason: 'Too few.', progress, now: testbed.now }))
  expect(await accept(body)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/"withChanges": true\} or \{"guard": "changes"\}\.$/) },
  })
})
