import { beforeEach, describe, expect, it } from 'vitest'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { ChangePart } from '../../../stored/changes/changes.ts'
import { latestKey, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed, numberedDocuments } from '../compare/change-set-testbed.ts'
import { changesOf, linkOf } from './request-changes.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const get = (query = '', headers = {}, entity = 'CL') => changesOf(testbed, { entity, query, headers })

describe('GET /syncs/{entity}/changes with since', () => {
  it('returns the sets after that run in order, with a link to each part', async () => {
    const runs = await testbed.publishSets(1, 2, 3)
    const { statusCode, body } = await get(`since=${runs[0]}`)
    expect(statusCode).toBe(200)
    expect(body).toMatchObject({
      entity: 'CL',
      tip: runs[2],
      snapshot: { runId: runs[2], stateDocuments: 3 },
    })
    expect(body.sets).toEqual(
      [1, 2].map((index) => {
        const { withheldParts: _, ...set } = testbed.set(runs[index] ?? '').manifest
        const parts = set.parts.map((part) => ({ ...part, link: linkOf(part.key) }))
        return { ...set, manifest: setManifestKey('CL', set.runId), parts }
      }),
    )
    expect(body).not.toHaveProperty('next')
    expect(body.snapshot).not.toHaveProperty('pages')
  })

  it('returns no sets if it is the tip', async () => {
    const [tip] = await testbed.publishSets(1)
    expect((await get(`since=${tip}`)).body).toMatchObject({ tip, sets: [] })
  })

  it('returns at most limit sets and the position of the next ones', async () => {
    const runs = await testbed.publishSets(1, 2, 3, 4)
    const { body } = await get(`since=${runs[0]}&limit=2`)
    expect(body.sets.map(({ runId }: { runId: string }) => runId)).toEqual([runs[1], runs[2]])
    expect(body.next).toBe(`?since=${runs[2]}&limit=2`)
    const last = (await get(body.next.slice(1))).body
    expect(last.sets.map(({ runId }: { runId: string }) => runId)).toEqual([runs[3]])
    expect(last).not.toHaveProperty('next')
  })

  it('returns 20 sets if there is no limit', async () => {
    const runs = await testbed.publishSets(...Array.from({ length: 23 }, (_, index) => index))
    const { body } = await get(`since=${runs[0]}`)
    expect(body.sets).toHaveLength(20)
    expect(body.next).toBe(`?since=${runs[20]}&limit=20`)
  })

  it('lists at most 1,000 links: a larger set continues in the next response', async () => {
    const runs = await testbed.publishSets(1, 2, 3, 4)
    grow(runs[1] ?? '', 1)
    grow(runs[2] ?? '', 1_500)
    const first = (await get(`since=${runs[0]}`)).body
    const second = (await get(first.next.slice(1))).body
    const third = (await get(second.next.slice(1))).body
    const read = [first, second, third].map(({ sets }) =>
      sets.map(({ runId, parts }: { runId: string; parts: ChangePart[] }) => [runId, parts.length]),
    )
    expect(read).toEqual([
      [[runs[1], 1]],
      [[runs[2], 1_000]],
      [
        [runs[2], 500],
        [runs[3], 1],
      ],
    ])
    expect(third).not.toHaveProperty('next')
  })

  it.each([
    ['a run that never existed', async () => '20200101T000000000Z-0123456789ab'],
    [
      'a run whose snapshot was not compared',
      async () => {
        const missed = testbed.publish({ documents: numberedDocuments(4) })
        await testbed.publishSets(5)
        return missed
      },
    ],
    [
      'a run before a reset',
      async () => {
        const before = testbed.chain()?.tip ?? ''
        await testbed.next({ documents: numberedDocuments(4), query: { a: '1' } })
        return before
      },
    ],
    [
      'a run whose sets have expired',
      async () => {
        testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 2 }
        const [oldest = ''] = await testbed.publishSets(1, 2, 3, 4, 5)
        return oldest
      },
    ],
  ])('is a 410 with the snapshot to begin with for %s', async (_, sinceOf) => {
    await testbed.publishSets(1, 2)
    const since = await sinceOf()
    const tip = testbed.chain()?.tip
    const { statusCode, body } = await get(`since=${since}`, { 'if-none-match': `"${tip}"` })
    expect(statusCode).toBe(410)
    expect(body).toMatchObject({
      type: 'urn:longshore:problem:changes-expired',
      tip,
      snapshot: { runId: tip },
    })
  })

  it('is a 410 for a cursor within another set, also at the tip', async () => {
    const runs = await testbed.publishSets(1, 2, 3)
    for (const query of [`since=${runs[0]}&cursor=${runs[2]}.1`, `since=${runs[2]}&cursor=${runs[2]}.1`])
      expect(await get(query)).toMatchObject({ statusCode: 410, body: { snapshot: { runId: runs[2] } } })
  })

  it('is a 410 if a set or the snapshot of the tip is gone', async () => {
    const [since, set, tip] = await testbed.publishSets(1, 2, 3)
    const manifest = testbed.s3.objects.get(setManifestKey('CL', set ?? ''))
    if (!manifest) throw new Error('The set has a manifest.')
    testbed.s3.objects.delete(setManifestKey('CL', set ?? ''))
    expect(await get(`since=${since}`)).toMatchObject({ statusCode: 410, body: { snapshot: { runId: tip } } })
    testbed.overwrite(setManifestKey('CL', set ?? ''), manifest.body)
    expect(await get(`since=${since}`)).toMatchObject({ statusCode: 200 })
    testbed.s3.objects.delete(manifestKey('CL', tip ?? ''))
    expect(await get(`since=${since}`)).toMatchObject({ statusCode: 410, body: { tip } })
  })

  it('returns the sets after the base of the oldest one that is kept', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 2 }
    const runs = await testbed.publishSets(1, 2, 3, 4, 5, 6)
    const { statusCode, body } = await get(`since=${runs[2]}`)
    expect(statusCode).toBe(200)
    expect(body.sets.map(({ runId }: { runId: string }) => runId)).toEqual(runs.slice(3))
  })

  it.each([
    ['since=yesterday', 'since'],
    ['since=', 'since'],
    ['limit=0', 'limit'],
    ['limit=21', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['since=20200101T000000000Z-0123456789ab&limit=x', 'limit'],
    ['cursor=x', 'cursor'],
    ['from=1', 'from'],
  ])('is a 400 for %s', async (query, parameter) => {
    await testbed.publishSets(1)
    const { statusCode, body } = await get(query)
    expect(statusCode).toBe(400)
    expect(body).toMatchObject({ type: 'urn:longshore:problem:invalid-request', parameter })
  })
})

describe('the ETag of GET /syncs/{entity}/changes', () => {
  it('is the tip, and with If-None-Match the response is a 304 until it moves', async () => {
    const [tip] = await testbed.publishSets(1)
    for (const value of [`"${tip}"`, `W/"${tip}"`, `"other", "${tip}"`, '*'])
      expect(await get(`since=${tip}`, { 'if-none-match': value })).toMatchObject({
        statusCode: 304,
        headers: { etag: `"${tip}"` },
        body: undefined,
      })
    await testbed.publishSets(2)
    expect(await get(`since=${tip}`, { 'if-none-match': `"${tip}"` })).toMatchObject({ statusCode: 200 })
  })

  it('gives a 304 without since too, but not for a further part of a response', async () => {
    const [tip] = await testbed.publishSets(1)
    const headers = { 'if-none-match': `"${tip}"` }
    expect(await get('', headers)).toMatchObject({ statusCode: 304 })
    expect(await get(`cursor=${tip}.0`, headers)).toMatchObject({ statusCode: 200, body: { tip } })
    expect(await get('', { 'if-none-match': '"other"' })).toMatchObject({ statusCode: 200 })
  })
})

describe('GET /syncs/{entity}/changes is a 404', () => {
  it('for an entity that is not configured', async () =>
    expect(await get('', {}, 'XX')).toMatchObject({ statusCode: 404 }))

  it('before the first change set', async () => {
    testbed.publish({ documents: numberedDocuments(1) })
    expect(testbed.keys(latestKey('CL'))).toHaveLength(1)
    expect(await get()).toMatchObject({
      statusCode: 404,
      body: { detail: 'This entity has no change set yet. Start a sync with POST /syncs/{entity}.' },
    })
  })

  it('while change sets are turned off', async () => {
    await testbed.publishSets(1)
    testbed.changes = false
    expect(await get()).toMatchObject({
      statusCode: 404,
      body: { detail: 'Change sets are turned off for this entity in the configuration.' },
    })
  })
})

/** Replaces the parts in the manifest of a set. */
function grow(runId: string, count: number): void {
  const { manifest } = testbed.set(runId)
  const parts = Array.from({ length: count }, () => manifest.parts[0])
  testbed.overwrite(setManifestKey('CL', runId), Buffer.from(JSON.stringify({ ...manifest, parts })))
}
