import { beforeEach, describe, expect, it } from 'vitest'
import type { CommittedPage } from '../../../functions/state/pages/page.ts'
import { newRun, newRunId } from '../../../functions/state/run/run.ts'
import { entityNamed } from '../../entity-named.ts'
import { directRequest, stepRequest, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

const runOf = (runId: string) => testbed.state.readRun('CL', runId)
const next = () => stepRequest(newRunId(testbed.now))
const throttled = { status: 429, headers: { 'retry-after': '300' }, body: Buffer.from('no') }
/** Runs whose objects are in the bucket. */
const storedRuns = () => [
  ...new Set(
    [...testbed.s3.objects.keys()].flatMap((key) => /^snapshots\/CL\/(\d[^/]+)/.exec(key)?.[1] ?? []),
  ),
]

/** The next call to a store fails. */
function failOnce<Store extends object>(store: Store, method: keyof Store) {
  const original = store[method]
  store[method] = (async () => {
    store[method] = original
    throw new Error('down')
  }) as Store[typeof method]
}

async function publishDaily(count: number): Promise<string[]> {
  const runs: string[] = []
  for (let index = 0; index < count; index++) {
    testbed.now += day
    runs.push((await testbed.step()).runId ?? '')
  }
  return runs
}

/** The request of a worker that crashed when it called a store. */
async function crashedIn<Store extends object>(store: Store, method: keyof Store) {
  const request = next()
  failOnce(store, method)
  await expect(testbed.step(request)).rejects.toThrow('down')
  return request
}

describe('a worker that crashed while it published', () => {
  it.each([
    ['before the manifest was written', () => failOnce(testbed.snapshots, 'putManifest')],
    ['before the snapshot was published', () => failOnce(testbed.snapshots, 'moveLatest')],
    ['before the publication was recorded', () => failOnce(testbed.state, 'setLatest')],
  ])('is continued by one that publishes the same snapshot: %s', async (_, crash) => {
    const request = next()
    crash()
    await expect(testbed.step(request)).rejects.toThrow('down')
    expect(await runOf(request.runId)).toMatchObject({ status: 'publishing' })
    const requests = testbed.targets.length
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      suspect: false,
      documents: 3,
      pages: 2,
      total: 3,
    })
    expect(testbed.targets).toHaveLength(requests)
    expect(await testbed.snapshots.readManifest('CL', request.runId)).toMatchObject({
      documents: 3,
      pages: [{ documents: 2 }, { documents: 1 }],
    })
  })

  it('is continued by the next run if the worker is gone', async () => {
    const abandoned = await crashedIn(testbed.snapshots, 'moveLatest')
    testbed.now += 6 * minute
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await runOf(abandoned.runId)).toMatchObject({ status: 'published', abandoned: true })
    expect(testbed.logged('run ended').map(({ fields }) => fields['runId'])).toEqual([
      abandoned.runId,
      request.runId,
    ])
    expect((await testbed.state.readEntity('CL')).abandonedRuns).toBeUndefined()
  })

  it('has not failed if it went on while the next run settled it', async () => {
    const abandoned = await crashedIn(testbed.snapshots, 'moveLatest')
    testbed.now += 6 * minute
    const readRun = testbed.state.readRun.bind(testbed.state)
    const endRun = testbed.state.endRun.bind(testbed.state)
    testbed.state.readRun = async (entity, runId) => {
      const run = await readRun(entity, runId)
      if (run?.runId !== abandoned.runId || run.status !== 'publishing') return run
      const { result: _, ...before } = run
      return { ...before, status: 'running' }
    }
    testbed.state.endRun = (...end) => {
      Object.assign(testbed.state, { readRun, endRun })
      return endRun(...end)
    }
    expect(await testbed.step(next())).toMatchObject({ status: 'published' })
    expect(await runOf(abandoned.runId)).toMatchObject({ status: 'published', abandoned: true })
  })

  it('has published if its entity was removed from the configuration after that', async () => {
    const request = await crashedIn(testbed.state, 'setLatest')
    testbed.entity = entityNamed('AD')
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      manifest: `snapshots/CL/${request.runId}/manifest.json`,
    })
    expect(await runOf(request.runId)).toMatchObject({ documents: 3, pages: 2, total: 3 })
  })

  it.each([
    ['the first snapshot', 0],
    ['a later one', 1],
  ])('has failed if its entity was removed from the configuration before %s', async (_, earlier) => {
    await publishDaily(earlier)
    const request = await crashedIn(testbed.snapshots, 'moveLatest')
    testbed.entity = entityNamed('AD')
    // A request of the worker that crashed may still be on its way.
    const waiting = { status: 'waiting', runId: request.runId, waitSeconds: 15 }
    expect(await testbed.step(request)).toMatchObject(waiting)
    testbed.now += 5 * minute - 1
    expect(await testbed.step(request)).toMatchObject(waiting)
    testbed.now += 1
    expect(await testbed.step(request)).toMatchObject({ status: 'failed' })
  })

  it('has failed at once if the state machine has given it up', async () => {
    const request = await crashedIn(testbed.snapshots, 'moveLatest')
    testbed.entity = entityNamed('AD')
    const error = { name: 'States.Timeout', cause: '' }
    expect(await testbed.step({ ...request, kind: 'record-failure', error })).toMatchObject({
      status: 'failed',
    })
  })

  it('is not checked by the guards again after the snapshot was published', async () => {
    testbed.documents = []
    testbed.entity = entityNamed('CL', { allowEmpty: true })
    const request = await crashedIn(testbed.state, 'setLatest')
    testbed.entity = entityNamed('CL')
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })

  it.each([
    ['a page', 'page#000001'],
    ['the last page', 'page#000002'],
  ])('fails if the item of %s has expired', async (_, sk) => {
    const request = await crashedIn(testbed.snapshots, 'putManifest')
    const pages = testbed.state.pages.bind(testbed.state)
    testbed.state.pages = async function* (attempt) {
      for await (const page of pages(attempt)) if (!sk.endsWith(String(page.page))) yield page
    }
    expect(await testbed.step(request)).toMatchObject({
      status: 'failed',
      documents: 3,
      reason:
        'The pages of the run are not the ones that were proven, because their items have expired. Start the sync again.',
    })
  })

  it.each<[string, (page: CommittedPage) => CommittedPage[]]>([
    ['documents', (page) => [{ ...page, documents: page.documents + 1 }]],
    [
      'unique ids',
      (page) =>
        page.page === 1
          ? [
              {
                ...page,
                fingerprints: Buffer.concat([page.fingerprints.subarray(8), page.fingerprints.subarray(8)]),
              },
            ]
          : [page],
    ],
    [
      'pages',
      (page) =>
        page.page === 1
          ? [0, 8].map((at) => ({
              ...page,
              documents: 1,
              fingerprints: page.fingerprints.subarray(at, at + 8),
            }))
          : [page],
    ],
  ])('fails if the items have another number of %s', async (_, change) => {
    const request = await crashedIn(testbed.snapshots, 'putManifest')
    const pages = testbed.state.pages.bind(testbed.state)
    testbed.state.pages = async function* (attempt) {
      for await (const page of pages(attempt)) yield* change(page)
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'failed' })
  })

  it('publishes the manifest that was written, although the items have expired since', async () => {
    const request = await crashedIn(testbed.snapshots, 'moveLatest')
    testbed.state.pages = async function* () {}
    expect(await testbed.step(request)).toMatchObject({ status: 'published', documents: 3 })
  })

  it('fails if a newer run has published first', async () => {
    testbed.snapshots.moveLatest = async (_, wanted) => ({ ...wanted, runId: 'newer' })
    expect(await testbed.step()).toMatchObject({
      status: 'failed',
      reason: 'The newer run newer has published in the meantime.',
    })
    expect(testbed.events).toMatchObject([{ type: 'Sync Failed' }])
  })
})

describe('a worker that crashed while it scrolled', () => {
  it('is continued with a suspect attempt from the page that is committed', async () => {
    testbed.respond = (request) => {
      if (request === 2) throw new RangeError('out of memory')
      return undefined
    }
    const request = next()
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact', suspect: true })
    expect(testbed.targets.filter((target) => target.includes('_size'))).toHaveLength(1)
  })

  it('does not count as a crash loop while pages are committed in between', async () => {
    testbed.documents = Array.from({ length: 12 }, (_, id) => `{"id":${id}}`)
    testbed.respond = (request) => {
      if (request % 2 === 0) throw new RangeError('out of memory')
      return undefined
    }
    const request = next()
    for (let worker = 1; worker <= 6; worker++)
      await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', documents: 12 })
  })

  it('leaves a run that a direct invocation continues later', async () => {
    testbed.respond = (request) => (request === 2 ? throttled : undefined)
    const { runId } = await testbed.step(directRequest)
    testbed.now += 5 * minute
    expect(await testbed.step(directRequest)).toMatchObject({ status: 'published', runId })
    expect((await runOf(runId ?? ''))?.execution).toBeUndefined()
  })
})

describe('a run whose item', () => {
  it.each([
    ['the state machine', () => next()],
    ['a direct invocation', () => directRequest],
  ])('has expired is not begun again by %s', async (_, request) => {
    const runId = newRunId(testbed.now - 40 * day)
    const lease = { runId, worker: 'gone', until: testbed.now - 1, handedOff: false, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    expect(await testbed.step(request())).toMatchObject({ status: 'published' })
    expect(await runOf(runId)).toBeUndefined()
  })

  it('ended already is not ended or reported again', async () => {
    const ended = (await testbed.step()).runId ?? ''
    testbed.now += minute
    const lease = { runId: 'gone', worker: 'gone', until: testbed.now, handedOff: false, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [ended] })
    await testbed.step(next())
    expect(await runOf(ended)).toMatchObject({ status: 'published', abandoned: false })
    expect(testbed.logged('run ended').filter(({ fields }) => fields['runId'] === ended)).toHaveLength(1)
  })

  it('was written by a newer release fails with what to do', async () => {
    const { runId, ...request } = next()
    const item = { pk: 'entity#CL', sk: `run#${runId}`, version: 99 }
    await testbed.dynamodb.write({ kind: 'put', item, condition: {} })
    expect(await testbed.step({ ...request, runId })).toEqual({
      status: 'failed',
      entity: 'CL',
      runId,
      reason: expect.stringMatching(/version is 99.*deploy the release/) as string,
    })
  })

  it('was created by the API is begun by its first worker', async () => {
    const { runId, entity: _, ...request } = next()
    const entity = entityNamed('CL', { pageSize: 1 })
    const created = newRun({ runId, entity, acceptShrink: false, execution: undefined, now: testbed.now })
    await testbed.state.createRun(created)
    expect(await testbed.step({ ...request, runId, entity: 'CL' })).toMatchObject({
      status: 'published',
      suspect: false,
      pages: 2,
    })
    expect(await runOf(runId)).toMatchObject({ execution: 'arn:execution' })
  })

  it('was created by the API is skipped if another run is in progress', async () => {
    testbed.respond = (request) => (request === 1 ? throttled : undefined)
    const running = next()
    await testbed.step(running)
    const request = stepRequest(newRunId(testbed.now + 1))
    const { runId } = request
    const entity = testbed.entity
    await testbed.state.createRun(
      newRun({ runId, entity, acceptShrink: false, execution: undefined, now: testbed.now }),
    )
    const reason = `Run ${running.runId} of this entity is in progress.`
    expect(await testbed.step(request)).toMatchObject({ status: 'skipped', runId, reason })
    expect(await runOf(runId)).toMatchObject({ status: 'skipped', execution: 'arn:execution' })
    expect(await testbed.state.readEntity('CL')).toMatchObject({ lease: { runId: running.runId } })
  })
})

describe('a run that is skipped although a worker has continued it', () => {
  const claim = async (runId: string) => {
    const seen = await testbed.state.readEntity('CL')
    const lease = { runId, worker: 'other', until: testbed.now + minute, handedOff: true, direct: false }
    await testbed.state.claimLease('CL', seen, { lease, abandonedRuns: [] })
  }

  it('is ended by the run in progress if it is publishing', async () => {
    const request = await crashedIn(testbed.snapshots, 'moveLatest')
    await claim('other')
    expect(await testbed.step(request)).toEqual({
      status: 'waiting',
      entity: 'CL',
      runId: request.runId,
      reason: 'Run other of this entity is in progress.',
      waitSeconds: 15,
    })
    expect(await runOf(request.runId)).toMatchObject({ status: 'publishing' })
  })

  it('has the end that another worker wrote', async () => {
    testbed.respond = () => throttled
    const request = next()
    await testbed.step(request)
    await claim('other')
    const endRun = testbed.state.endRun.bind(testbed.state)
    testbed.state.endRun = async (run, from) => {
      await endRun({ ...run, status: 'cancelled', reason: 'Cancelled.' } as typeof run, from)
      return false
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'cancelled', reason: 'Cancelled.' })
  })

  it('frees the slot that it may have taken', async () => {
    testbed.respond = () => throttled
    const request = next()
    await testbed.step(request)
    await claim('other')
    expect(await testbed.step(request)).toMatchObject({ status: 'skipped' })
    const { now } = testbed
    expect(await testbed.state.takeSlot('another', 1, { now, until: now })).toBe(true)
  })
})

describe('an entity that the API claimed', () => {
  it('is synced although the API did not create the run', async () => {
    const request = next()
    const { runId } = request
    const lease = { runId, worker: 'api', until: testbed.now + minute, handedOff: true, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    expect(await testbed.step(request)).toMatchObject({ status: 'published', runId, suspect: false })
  })
})

describe('an entity without configuration', () => {
  it('is released if the API claimed it for a run that it did not create', async () => {
    const request = next()
    const { runId } = request
    const lease = { runId, worker: 'api', until: testbed.now + minute, handedOff: true, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    testbed.entity = entityNamed('AD')
    await testbed.step(directRequest)
    expect(await testbed.state.readEntity('CL')).toHaveProperty('lease')
    await testbed.step(request)
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  })
})

describe('the guard against shrinking', () => {
  beforeEach(async () => {
    await testbed.step()
    testbed.documents = ['{"id":1}']
    testbed.now += day
  })

  it('refuses a snapshot that lost too many documents', async () => {
    expect(await testbed.step(next())).toMatchObject({
      status: 'refused',
      documents: 1,
      pages: 1,
      total: 1,
      reason: expect.stringContaining('66.7% fewer than the 3') as string,
    })
  })

  it('publishes it if the sync was started with acceptShrink', async () => {
    expect(await testbed.step({ ...next(), acceptShrink: true })).toMatchObject({ status: 'published' })
  })

  it('is that of the deployment with which the run began', async () => {
    const request = next()
    failOnce(testbed.snapshots, 'moveLatest')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 100 }
    await expect(testbed.step(request)).rejects.toThrow('down')
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 0 }
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })

  it('refuses it if a run with acceptShrink never began', async () => {
    const abandoned = { ...next(), acceptShrink: true }
    failOnce(testbed.state, 'createRun')
    await expect(testbed.step(abandoned)).rejects.toThrow('down')
    testbed.now += 6 * minute
    expect(await testbed.step(next())).toMatchObject({ status: 'refused' })
    expect(await runOf(abandoned.runId)).toMatchObject({ status: 'failed', acceptShrink: false })
  })
})

describe('the clean-up after a publication', () => {
  it('keeps as many snapshots as configured', async () => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 3 })
    const runs = await publishDaily(5)
    expect(storedRuns()).toEqual(runs.slice(2))
  })

  it.each([
    [
      'keeps the snapshot that the last change set ended at',
      { ignore: [], maxDeletePercent: 10, keepDays: 30 },
      3,
    ],
    ['deletes it if change sets are off', false as const, 2],
  ])('%s', async (_, changes, kept) => {
    testbed.entity = entityNamed('CL', { keepSnapshots: 2, changes })
    const [tip = ''] = await publishDaily(1)
    const chain = JSON.stringify({ tip, sets: [] })
    testbed.s3.objects.set('changes/CL/latest.json', { body: Buffer.from(chain), etag: '"1"' })
    await publishDaily(3)
    expect(storedRuns()).toHaveLength(kept)
    expect(storedRuns().includes(tip)).toBe(changes !== false)
  })

  it('deletes the pages of a run that failed', async () => {
    testbed.respond = (request) => (request === 2 ? { ...throttled, status: 401 } : undefined)
    const failed = await testbed.step()
    expect(storedRuns()).toEqual([failed.runId])
    testbed.now += day
    const { runId } = await testbed.step()
    expect(storedRuns()).toEqual([runId])
  })

  it('reads no items of newer runs', async () => {
    const read: string[] = []
    const readRun = testbed.state.readRun.bind(testbed.state)
    testbed.state.readRun = (entity, runId) => {
      read.push(runId)
      return readRun(entity, runId)
    }
    const [first = '', second = ''] = await publishDaily(2)
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
    await publishDaily(1)
    expect(sizes()).toEqual(['400', '200', '100'])
    expect(await testbed.state.readEntity('CL')).toMatchObject({ pageSize: { next: 200, configured: 400 } })
    await publishDaily(2)
    expect(sizes().slice(3)).toEqual(['200', '400'])
  })

  it('is remembered if the run failed after the first page', async () => {
    testbed.respond = (request) => {
      if (request < 3) return { ...throttled, status: 408, headers: {} }
      return request === 4 ? { ...throttled, status: 401 } : undefined
    }
    expect(await testbed.step()).toMatchObject({ status: 'failed' })
    expect(await testbed.state.readEntity('CL')).toMatchObject({ pageSize: { next: 100, configured: 400 } })
  })

  it('is kept by the worker that continues when the time is up', async () => {
    testbed.requestMs = 780_000
    testbed.respond = (request) => (request === 1 ? { ...throttled, status: 408, headers: {} } : undefined)
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'running' })
    await testbed.step(request)
    expect(sizes()).toEqual(['400', '200'])
  })

  it('is kept by the worker that continues the first request', async () => {
    testbed.respond = (request) => {
      if (request === 1) return { ...throttled, status: 408, headers: {} }
      return request === 2 ? throttled : undefined
    }
    expect(await testbed.stepToEnd(next())).toMatchObject({ status: 'published' })
    expect(sizes()).toEqual(['400', '200', '200'])
  })
})
