import { beforeEach, describe, expect, it } from 'vitest'
import { CredentialsError } from '../../../functions/upstream/exchange.ts'
import { newRunId } from '../../../stored/run/run.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { entityNamed } from '../../entity-named.ts'
import { failureOf } from '../../worker-requests.ts'
import { statusResponse, stepRequest, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a run that publishes', () => {
  it('returns what it published', async () => {
    const runId = newRunId(testbed.now)
    const manifest = `snapshots/CL/${runId}/manifest.json`
    expect(await testbed.step(stepRequest(runId))).toEqual({
      status: 'published',
      entity: 'CL',
      runId,
      attempt: 1,
      suspect: false,
      pages: 2,
      documents: 3,
      total: 3,
      proof: 'exact',
      manifest,
    })
    expect(testbed.events).toEqual([
      {
        type: 'Snapshot Published',
        detail: { entity: 'CL', runId, documents: 3, proof: 'exact', manifest, sha256: expect.any(String) },
      },
    ])
  })

  it('describes the snapshot in its manifest', async () => {
    testbed.entity = entityNamed('CL', { pageSize: 2, query: { _where: 'id is not null' } })
    const { runId } = await testbed.step()
    const manifest = await testbed.snapshots.readManifest('CL', runId ?? '')
    expect(manifest).toMatchObject({
      version: 1,
      entity: 'CL',
      runId,
      startedAt: '2031-01-02T00:00:00.000Z',
      openedAt: '2031-01-02T00:00:00.100Z',
      query: { _where: 'id is not null' },
      idField: 'id',
      pageSize: 2,
      attempts: 1,
      documents: 3,
      uniqueIds: 3,
      reportedTotal: 3,
      proof: 'exact',
      spent: { requests: 3, receivedBytes: 19 + 10, milliseconds: expect.closeTo(302, -1) as number },
      pages: [{ documents: 2 }, { documents: 1 }],
    } satisfies { [Key in keyof Manifest]?: unknown })
    expect(manifest).not.toHaveProperty('partitions')
  })

  it('logs its end as one line with metrics', async () => {
    const { runId } = await testbed.step()
    expect(testbed.logged('run ended')).toEqual([
      {
        level: 'INFO',
        message: 'run ended',
        fields: expect.objectContaining({
          entity: 'CL',
          runId,
          status: 'published',
          attempt: 1,
          pages: 2,
          documents: 3,
          total: 3,
          reason: '',
          uniqueIds: 3,
          proof: 'exact',
        }) as object,
      },
    ])
    const fields = testbed.logged('run ended')[0]?.fields
    expect(fields?.['durationSeconds']).toBeCloseTo(0.3, 1)
  })

  it('is published although its event cannot be sent', async () => {
    testbed.publishEvent = () => Promise.reject(new Error('down'))
    expect(await testbed.step()).toMatchObject({ status: 'published' })
    expect(testbed.logged('event not sent')).toMatchObject([
      { level: 'ERROR', fields: { entity: 'CL', type: 'Snapshot Published', error: { message: 'down' } } },
    ])
  })

  it('is published although the clean-up fails', async () => {
    testbed.snapshots.deleteKeys = () => Promise.reject(new Error('access denied'))
    const { runId } = await testbed.step()
    expect(testbed.logged('clean-up failed')).toMatchObject([
      { level: 'ERROR', fields: { entity: 'CL', runId, error: { message: 'access denied' } } },
    ])
  })
})

describe('a run that does not publish', () => {
  it('is refused with fewer documents, and records what the guard compared', async () => {
    const first = await testbed.step()
    expect((await testbed.runOf(first.runId ?? ''))?.guarded).toMatchObject({ uniqueIds: 3 })
    expect((await testbed.runOf(first.runId ?? ''))?.guarded).not.toHaveProperty('publishedIds')
    testbed.documents = testbed.documents.slice(0, 1)
    testbed.now += minute
    const { runId } = await testbed.step()
    expect(await testbed.runOf(runId)).toMatchObject({
      status: 'refused',
      guarded: { uniqueIds: 1, publishedIds: 3, refusedBy: 'maxShrinkPercent' },
    })
  })

  it('is skipped without an event if the credentials are not set', async () => {
    testbed.respond = () => {
      throw new CredentialsError('not-set', 'The credentials are not set.')
    }
    const response = await testbed.step()
    expect(response).toMatchObject({ status: 'skipped', documents: 0, total: null })
    expect(testbed.events).toEqual([])
    // A problem, as rejected credentials are.
    expect(await testbed.runOf(response?.runId ?? '')).toMatchObject({ cause: 'credentials' })
  })

  it('fails if the platform rejects the credentials, with the progress until then', async () => {
    testbed.respond = (request) => (request === 2 ? statusResponse(401) : undefined)
    const { runId } = await testbed.step()
    const reason = expect.stringContaining('401: no') as string
    expect(await testbed.runOf(runId)).toMatchObject({
      status: 'failed',
      reason,
      documents: 2,
      pages: 1,
      total: 3,
    })
    expect(testbed.events).toEqual([{ type: 'Sync Failed', detail: { entity: 'CL', runId, reason } }])
    expect(testbed.logged('run ended')).toMatchObject([{ level: 'WARN', fields: { status: 'failed' } }])
  })

  it('has failed although its event cannot be sent', async () => {
    testbed.respond = () => statusResponse(404)
    testbed.publishEvent = () => Promise.reject(new Error('down'))
    const { runId } = await testbed.step()
    expect(testbed.logged('event not sent')).toMatchObject([
      { level: 'ERROR', fields: { entity: 'CL', runId, type: 'Sync Failed', error: { message: 'down' } } },
    ])
  })

  it('names the first response whose outcome is unknown as what may have cost a page', async () => {
    let requests = 0
    testbed.respond = (_, url) => {
      requests = url.searchParams.has('_token') ? requests + 1 : 0
      const body = Buffer.from(['[{"id":1},{"id":2}]', '[{"id":3},{"i'][requests] ?? '')
      return { status: 200, headers: { 'rest-content-total': '4', 'x-svc-md-token': 't' }, body }
    }
    const { runId } = await testbed.step()
    expect(await testbed.runOf(runId)).toMatchObject({
      status: 'failed',
      reason:
        'No complete snapshot after 3 attempts. The platform reported 4 documents and 2 unique ones were received, and a page may be missing. The platform responded with 200 and a JSON array that is cut off or followed by other bytes.',
    })
  })

  it.each([
    ['States.Timeout', 'The worker did not respond within its time limit'],
    ['Sandbox.Timedout', 'The worker did not stop within its time limit'],
    [
      'Lambda.TooManyRequestsException',
      'Lambda throttled the worker: the account has too many concurrent executions',
    ],
    ['Lambda.Unknown', 'The worker ran out of memory or was stopped'],
    ['TypeError', 'The worker failed repeatedly'],
  ])('fails if the state machine gives up because of %s', async (name, what) => {
    const request = testbed.next()
    expect(await testbed.step(failureOf(request, name))).toMatchObject({
      status: 'failed',
      reason: `${what} (${name}). See its log, fix the cause and start the sync again.`,
    })
    expect(testbed.targets).toEqual([])
  })

  it('fails if a newer run has published already', async () => {
    const older = newRunId(testbed.now - minute)
    const { runId } = await testbed.step()
    expect(await testbed.step(stepRequest(older))).toMatchObject({
      status: 'failed',
      reason: `The newer run ${runId} has published already.`,
    })
  })
})
