import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Exchange } from '../../../functions/upstream/recorded-exchange.ts'
import { type CommittedPage, noProgress } from '../../../stored/pages/page.ts'
import { newRange, nextAttempt, type OpenRange, suspected } from '../../../stored/run/range.ts'
import { type ActiveFullRun, newRepublication, newRunId, type RefusedRun } from '../../../stored/run/run.ts'
import { accepted, refused, withRange } from '../../../stored/run/run-changes.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { useStores } from '../../embedded-bucket.ts'
import { entityNamed } from '../../entity-named.ts'
import { planOfRanges } from '../stored/run/plan-of-ranges.ts'
import { emptyEnd, PublisherTestbed, sha256 } from './publisher-testbed.ts'

useStores('snapshots', 'state')

const pages = [['{"id":1}', '{"id":2}'], ['{"id":3}', '{"id":4}'], ['{"id":5}']]
const page2 = 'a1-p000002-x.ndjson.gz'
const timeout: Exchange = { at: Date.UTC(2031, 0, 2), error: 'timeout' }

let bed: PublisherTestbed
beforeEach(async () => {
  bed = new PublisherTestbed()
  await bed.begin()
  const snapshots = createSnapshotStore('snapshots')
  await snapshots.deleteKeys(await Array.fromAsync(snapshots.listKeys('')))
})

describe('a run that is published', () => {
  it('has a manifest, evidence, entries and a list for Athena', async () => {
    await bed.scroll({ pages, total: '5' })
    const published = await bed.checkAndPublish()
    expect(published.kind).toBe('published')
    const { runId } = bed.run
    const folder = `snapshots/CL/${runId}/`
    const manifest = (await bed.ofRun('manifest.json')) as {
      pages: object[]
      evidence: { key: string; sha256: string }
    }
    const openedAt = '2031-01-02T00:00:01.000Z'
    const counts = { documents: 5, uniqueIds: 5, reportedTotal: 5, pageSize: 2, attempts: 1 }
    const origin = { version: 1, entity: 'CL', runId }
    expect(manifest).toMatchObject({ ...origin, idField: 'id', openedAt, ...counts, proof: 'exact' })
    expect(manifest.pages).toHaveLength(3)
    const evidence = await bed.objects.read(`${folder}evidence.json`)
    expect(manifest.evidence).toEqual({
      key: `${folder}evidence.json`,
      bytes: evidence?.bytes.length,
      sha256: sha256(evidence?.bytes ?? ''),
    })
    const found = { total: '5', documents: 5, uniqueIds: 5, largestPage: 2 }
    const range = { where: null, attempt: 1, openedAt, ...found }
    expect(await bed.ofRun('evidence.json')).toMatchObject({
      ...origin,
      pagesSha256: sha256(JSON.stringify(manifest.pages)),
      limits: { totals: 'check', totalTolerancePercent: 1, maxShrinkPercent: 30, allowEmpty: false },
      ranges: [{ ...range, suspect: false, unknown: [], end: 'confirmed', proof: 'exact', earlier: [] }],
      coverage: null,
      uniqueIds: 5,
      withoutId: 0,
      idSum: [1, 2, 3, 4, 5]
        .reduce((sum, id) => sum + BigInt(`0x${sha256(String(id)).slice(0, 32)}`), 0n)
        .toString(16)
        .slice(-32)
        .padStart(32, '0'),
    })
    const stored = await bed.objects.read(`${folder}manifest.json`)
    expect(await bed.latest()).toEqual({
      runId,
      manifest: `${folder}manifest.json`,
      publishedAt: new Date(bed.now).toISOString(),
      documents: 5,
      sha256: sha256(stored?.bytes ?? ''),
    })
    const listed = await bed.objects.read('tables/CL/pages.txt')
    expect(listed?.bytes.toString().split('\n')).toHaveLength(4)
    expect((await bed.objects.read(`${folder}check-a1-p000001.bin`))?.bytes.length).toBeGreaterThan(5 * 24)
  })

  it('stays as it is when its publication is repeated', async () => {
    await bed.scroll({ pages, total: '5' })
    await bed.checkAndPublish()
    const before = [await bed.latest(), await bed.ofRun('manifest.json'), await bed.ofRun('evidence.json')]
    bed.now += 1_000
    expect((await bed.check()).kind).toBe('proven')
    expect(await bed.publish()).toMatchObject({ kind: 'published' })
    const after = [await bed.latest(), await bed.ofRun('manifest.json'), await bed.ofRun('evidence.json')]
    expect(after).toEqual(before)
  })

  it('is not replaced by an older run', async () => {
    await bed.scroll({ pages, total: '5' })
    const newer = `99990102T000000000Z-000000000000`
    await bed.put('snapshots/CL/latest.json', {
      runId: newer,
      manifest: 'none',
      publishedAt: '',
      documents: 5,
    })
    expect(await bed.checkAndPublish()).toEqual({ kind: 'superseded', by: newer })
  })

  it('has the total of the response that says that the entity is empty, not of a page of a proxy before', async () => {
    const html = { ...emptyEnd, bodyBytes: 6, details: { headers: {}, body: '<html>' } }
    await bed.scroll({ pages: [], ended: [html, { ...emptyEnd, total: '0' }] })
    expect(await bed.check()).toMatchObject({ kind: 'proven', found: { proof: 'exact', reportedTotal: 0 } })
  })

  it('is exact after an unknown outcome if every id has arrived', async () => {
    await bed.scroll({ pages, total: '5', failedBefore: { 2: timeout } })
    expect(await bed.checkAndPublish()).toMatchObject({ manifest: { proof: 'exact' } })
    const unknown = [{ page: 2, at: '2031-01-02T00:00:00.000Z', what: 'timeout' }]
    expect(await bed.ofRun('evidence.json')).toMatchObject({ ranges: [{ suspect: true, unknown }] })
  })

  it('continues a check in the next invocation', async () => {
    await bed.scroll({ pages, total: '5' })
    expect(await bed.check({}, bed.now)).toEqual({ kind: 'checking', pages: 0 })
    expect((await bed.check()).kind).toBe('proven')
  })
})

describe('nothing is published', () => {
  it('of a run that was not checked', async () => {
    await bed.scroll({ pages, total: '5' })
    await bed.beginPublication()
    expect(await bed.publish()).toEqual({ kind: 'unchecked' })
  })

  it('of a run that is not publishing', async () => {
    await bed.scroll({ pages, total: '5' })
    expect((await bed.check()).kind).toBe('proven')
    const reason = 'The run is running, not publishing.'
    expect(await bed.publish()).toEqual({ kind: 'not-publishing', reason })
  })

  it('that a guard refuses', async () => {
    await bed.scroll({ pages: [], total: '0' })
    expect(await bed.checkAndPublish()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('allowEmpty is not set'),
      guarded: { uniqueIds: 0, refusedBy: 'allowEmpty' },
    })
    expect(await bed.ofRun('refused.json')).toMatchObject({ uniqueIds: 0 })
    expect(await bed.ofRun('manifest.json')).toBeUndefined()
  })

  const damaged = (pattern: string) => ({ kind: 'damaged', reason: expect.stringContaining(pattern) })
  it.each<[string, Partial<CommittedPage>, string]>([
    ['of a page in another folder', { key: 'snapshots/CL/other/a1-p000002-x.ndjson.gz' }, 'is not its own'],
    ['of a page with another number', { page: 9 }, 'item 2 is missing'],
  ])('%s', async (_, change, reason) => {
    const changed = (page: CommittedPage) => (page.page === 2 ? { ...page, ...change } : page)
    await bed.scroll({ pages, total: '5', change: changed })
    expect(await bed.check()).toEqual(damaged(reason))
  })

  it('of a scroll that was opened with another request', async () => {
    await bed.scroll({ pages, total: '5', where: '(a=1)' })
    expect(await bed.check()).toEqual(damaged('"_where=(a=1)"; the query of the run has none'))
  })

  it.each<[string, name: string, Buffer | object]>([
    ['a page is replaced by documents of the same number', page2, gzipSync('{"id":3}\n{"id":6}\n')],
    ['the evidence is another one', 'evidence.json', {}],
  ])('after %s', async (_, name, body) => {
    await bed.scroll({ pages, total: '5' })
    await bed.check()
    await bed.beginPublication()
    await bed.put(name, body)
    expect(await bed.publish()).toEqual(damaged(name))
    expect(await bed.ofRun('manifest.json')).toBeUndefined()
  })

  it.each<[string, Parameters<PublisherTestbed['scroll']>[0], string]>([
    ['with a gap', { pages: pages.slice(1), total: '5' }, 'The platform reported 5 documents and 3 unique'],
    ['without a total and an end', { pages, ended: [emptyEnd, timeout] }, 'did not confirm the end'],
  ])('%s', async (_, scrolled, reason) => {
    await bed.scroll(scrolled)
    expect(await bed.check()).toMatchObject({ kind: 'unproven', reason: expect.stringContaining(reason) })
  })

  it('that a crash made suspect', async () => {
    await bed.scroll({ pages: pages.slice(0, 2), total: '5' })
    await bed.write((run) => withRange(run as ActiveFullRun, 0, (range) => suspected(range, 'a crash')))
    expect(await bed.check()).toMatchObject({ kind: 'unproven', uniqueIds: 4, suspect: true })
  })
})

describe('a second attempt', () => {
  const again = async (change = (range: OpenRange) => range) => {
    const scrolled = { pages: pages.slice(0, 2), ended: [emptyEnd, timeout] }
    await bed.scroll(scrolled)
    const end = { pageSize: 2, uniqueIds: 4, now: bed.now }
    await bed.write((run) => withRange(run as ActiveFullRun, 0, (range) => nextAttempt(change(range), end)))
    await bed.scroll({ attempt: 2, ...scrolled })
    return bed.check()
  }

  it('proves together with the first one what neither proves alone', async () => {
    expect(await again()).toMatchObject({
      kind: 'proven',
      found: { proof: 'no-total' },
    })
    expect(await bed.ofRun('evidence.json')).toMatchObject({
      ranges: [{ attempt: 2, end: 'unconfirmed', earlier: [{ attempt: 1, uniqueIds: 4, suspect: false }] }],
    })
  })

  it('proves nothing if the first one was suspect', async () => {
    expect((await again((range) => suspected(range, 'a crash'))).kind).toBe('unproven')
  })
})

describe('ranges', () => {
  const boundaries = ['2020-01-01T00:00:00.000Z']
  const filters = [
    '(createdIn is null)',
    `(createdIn < ${boundaries[0]} OR createdIn = ${boundaries[0]})`,
    `(createdIn > ${boundaries[0]} OR createdIn = ${boundaries[0]})`,
  ]
  const begin = async (change: object = {}, run: Partial<ActiveFullRun> = {}) => {
    const ranges = filters.map((where, index) =>
      newRange({ filter: { where, documents: [0, 3, 3][index] ?? 0 }, pageSize: 2, now: bed.now }),
    )
    const split = {
      kind: 'ranges' as const,
      ...planOfRanges,
      by: 'createdIn',
      boundaries,
      total: 5,
      onBoundaries: 1,
      reading: { whole: [5, 5] as const, ranges: [0, 3, 3], onBoundaries: [1] },
      reopened: false,
      ranges,
      ...change,
    }
    await bed.begin(bed.newRun({ split, ...run }))
    const [none = '', low = ''] = filters
    await bed.scroll({ range: 0, pages: [], total: '0', where: none, ended: [emptyEnd, emptyEnd] })
    await bed.scroll({ range: 1, pages: [['{"id":1}', '{"id":2}'], ['{"id":3}']], total: '3', where: low })
  }
  const last = (ids: readonly number[], total = ids.length) =>
    bed.scroll({
      range: 2,
      pages: [ids.map((id) => `{"id":${id}}`)],
      total: String(total),
      where: filters[2] ?? '',
    })

  it('are exact if together they have the whole', async () => {
    await begin()
    expect(await bed.check({ range: 1 })).toMatchObject({
      kind: 'proven',
      found: { proof: 'exact', documents: 3, uniqueIds: 3, pages: 2, received: 3, total: 3 },
    })
    await last([3, 4, 5])
    expect(await bed.checkAndPublish()).toMatchObject({
      manifest: { documents: 6, uniqueIds: 5, proof: 'exact' },
    })
    const read = { whole: [5, 5], ranges: [0, 3, 3], onBoundaries: [1] }
    const coverage = { by: 'createdIn', ...read, overlap: 1, exact: true }
    expect(await bed.ofRun('evidence.json')).toMatchObject({ coverage })
    expect(await bed.ofRun('manifest.json')).toMatchObject({
      reportedTotal: 5,
      partitionedBy: { by: 'createdIn', absences: 'proven' },
      partitions: [
        { where: filters[1], documents: 3, uniqueIds: 3, proof: 'exact' },
        { where: filters[2], documents: 3 },
        { where: filters[0], documents: 0 },
      ],
      pages: [{ range: 0 }, { range: 0 }, { range: 1 }],
    })
  })

  it('are published with the manifest that 1.0.0 wrote before it stopped', async () => {
    await begin()
    await last([3, 4, 5])
    await bed.check()
    const { manifest } = (await bed.ofRun('check-manifest.json')) as { manifest: Manifest }
    const pages = manifest.pages.map(({ range: _range, ...page }) => page)
    const body = JSON.stringify({ ...manifest, pages })
    await bed.put('manifest.json', body)
    expect(await bed.checkAndPublish()).toMatchObject({ kind: 'published', latest: { sha256: sha256(body) } })
    expect(await bed.latest()).toMatchObject({ sha256: sha256(body) })
  })

  const reading = { whole: [6, 6], ranges: [0, 3, 3], onBoundaries: [1] }
  it.each<[string, object, readonly number[], object]>([
    ['a reading that does not add up', { reading }, [3, 4, 5], { absences: 'unknown' }],
    ['coverage that is approximate', { coverage: 'approximate' }, [3, 4, 5], { absences: 'unknown' }],
    ['documents in two ranges', {}, [2, 3, 4], { absences: 'unknown', overlapping: 1 }],
    ['a range that was opened late', { reopened: true }, [3, 4, 5], { absences: 'repeatable' }],
  ])('prove less with %s', async (_, ...[change, ids, partitionedBy]) => {
    await begin(change)
    await last(ids)
    await bed.checkAndPublish()
    expect(await bed.ofRun('manifest.json')).toMatchObject({ partitionedBy })
  })

  it('prove less within a tolerance', async () => {
    await begin({}, { plan: { ...bed.newRun().plan, totalTolerancePercent: 50 } })
    await last([3, 4, 5], 2)
    expect(await bed.checkAndPublish()).toMatchObject({ manifest: { proof: 'within-tolerance' } })
    expect(await bed.ofRun('manifest.json')).toMatchObject({ partitionedBy: { absences: 'repeatable' } })
  })

  it('must have the filters of their boundaries', async () => {
    await begin({ boundaries: ['2021-01-01T00:00:00.000Z'] })
    await last([3, 4, 5])
    expect(await bed.check()).toMatchObject({
      kind: 'damaged',
      reason: expect.stringContaining('the boundaries define'),
    })
  })
})

describe('what was stored before', () => {
  it.each([
    ['publishes after one of 1.0.0 that has none either', 'id', 'published'],
    ['is refused after one of 1.0.0 that has ids', 'key', 'refused'],
  ])('a snapshot without ids %s', async (_, idField, kind) => {
    const scrolled = { pages: [['{"key":1}', '{"key":2}']], total: '2' }
    await bed.scroll(scrolled)
    expect(await bed.checkAndPublish()).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('could be the id: key.'),
    })
    const { withoutId: _counted, ...refused } = (await bed.ofRun('refused.json')) as Manifest
    await bed.put('manifest.json', { ...refused, idField })
    const { runId, documents } = refused
    const manifest = `snapshots/CL/${runId}/manifest.json`
    await bed.put('snapshots/CL/latest.json', { runId, documents, publishedAt: '', manifest })
    await bed.begin(bed.newRun({ runId: newRunId(Date.UTC(2031, 0, 3)) }))
    await bed.scroll(scrolled)
    expect(await bed.checkAndPublish()).toMatchObject({ kind })
  })

  const refuse = async () => {
    await bed.scroll({ pages, total: '5' })
    await bed.check()
    await bed.beginPublication()
    const { manifest } = (await bed.ofRun('check-manifest.json')) as { manifest: object }
    await bed.put('refused.json', manifest)
    const end = { reason: 'refused', progress: noProgress, now: bed.now }
    const run = refused(bed.run, end) as RefusedRun
    const { result } = bed.run as Extract<typeof bed.run, { status: 'publishing' }>
    bed.run = await bed.state.writeRun(
      accepted(run, { by: 'a', result, worker: 'w', execution: 'e', now: bed.now }),
    )
  }

  it('is published as it was refused', async () => {
    await refuse()
    expect((await bed.check()).kind).toBe('proven')
    expect(await bed.publish()).toMatchObject({ kind: 'published', manifest: { uniqueIds: 5 } })
    expect(await bed.ofRun('manifest.json')).toEqual(await bed.ofRun('refused.json'))
  })

  it('is not published as a check of it found that ended after the refusal', async () => {
    await refuse()
    await bed.put('refused.json', { ...((await bed.ofRun('refused.json')) as object), finishedAt: 'later' })
    expect(await bed.publish()).toEqual({ kind: 'unchecked' })
    await bed.check()
    expect(await bed.publish()).toMatchObject({ kind: 'published' })
    expect(await bed.ofRun('manifest.json')).toMatchObject({ finishedAt: 'later' })
  })

  it('is not published if a page differs from what was refused', async () => {
    await refuse()
    await bed.put(page2, gzipSync('{}\n'))
    expect(await bed.check()).toMatchObject({ kind: 'damaged' })
  })

  it('is published again under another run', async () => {
    await bed.scroll({ pages, total: '5' })
    await bed.checkAndPublish()
    const { runId: source } = bed.run
    const runId = newRunId(Date.UTC(2031, 0, 3))
    for (const page of [1, 2, 3]) {
      const name = `a1-p00000${page}-x.ndjson.gz`
      const { bytes = Buffer.alloc(0) } = (await bed.objects.read(`snapshots/CL/${source}/${name}`)) ?? {}
      await bed.put(`snapshots/CL/${runId}/${name}`, bytes)
    }
    const start = { runId, entity: entityNamed('CL'), execution: undefined, now: bed.now }
    await bed.begin(newRepublication({ ...start, acceptShrink: false, republishedFrom: source }))
    expect(await bed.checkAndPublish()).toMatchObject({ kind: 'published', manifest: { proof: 'exact' } })
    expect(await bed.ofRun('manifest.json')).toMatchObject({ runId, republishedFrom: source })
    expect(await bed.ofRun('evidence.json')).toMatchObject({ runId, ranges: [{ uniqueIds: 5 }] })
  })

  it.each([
    [5, true, { kind: 'proven', found: { proof: 'exact', reportedTotal: 5 } }],
    ['not-reported', true, { kind: 'proven', found: { proof: 'no-total', reportedTotal: null } }],
    [5, false, { kind: 'unproven', reason: expect.stringContaining('did not confirm it') }],
    ['malformed', true, { kind: 'unproven', reason: expect.stringContaining('not a whole number') }],
  ] as const)('of 1.0.0 is decided by its items: total %s, confirmed %s', async (...row) => {
    const [total, isConfirmed, result] = row
    await bed.scroll({
      pages,
      change: ({ received: _received, ...page }) => ({ ...page, total }),
      changeEnd: ({ received: _received, ...end }) => ({ ...end, total, isConfirmed }),
    })
    const reason = `Item 1 of run#${bed.run.runId}#a1 has no recorded response. Start the sync again.`
    expect(await bed.check()).toEqual({ kind: 'damaged', reason })
    const { readPages } = bed.items
    const old = async (partition: string) =>
      partition.endsWith('#a1') ? [] : readPages(partition.replace(/1$/, 'a1'))
    Object.assign(bed.items, { readPages: old })
    expect(await bed.check()).toMatchObject(result)
  })
})
