import { describe, expect, it } from 'vitest'
import { planCleanUp } from '../../../../functions/worker/publish/retention.ts'
import { runsOf } from '../../../../stored/inventory/snapshot-reasons.ts'
import {
  latestKey,
  manifestKey,
  pageKey,
  schemaChangesKey,
  schemaReportKey,
} from '../../../../stored/snapshots/manifest.ts'
import {
  cleanUp,
  entity,
  keysOf,
  leftover,
  manifestOf,
  now,
  outcomeIn,
  page,
  publicationOf,
  snapshot,
  snapshotsLeft,
} from './bucket-content.ts'

describe('the clean-up after a publication', () => {
  const runs = ['r1', 'r2', 'r3', 'r4', 'r5'].map((runId) => snapshot(runId))

  it.each([
    [7, ['r1', 'r2', 'r3', 'r4', 'r5']],
    [5, ['r1', 'r2', 'r3', 'r4', 'r5']],
    [4, ['r2', 'r3', 'r4', 'r5']],
    [2, ['r4', 'r5']],
    [1, ['r4', 'r5']],
    [0, ['r4', 'r5']],
  ])('keeps the newest %i snapshots, and at least two', (keepSnapshots, expected) => {
    const { left } = cleanUp(runs, 'r5', keepSnapshots)
    expect(snapshotsLeft(left)).toEqual(expected)
    expect(left).toHaveLength(expected.length * 3 + 1)
  })

  describe('that also keeps the last snapshot of each day', () => {
    const at = (day: string, time: string) => `202603${day}T${time}00000Z-0123456789ab`
    const [a, b, c, d, e] = [
      at('01', '2359'),
      at('02', '0000'),
      at('02', '2359'),
      at('04', '0600'),
      at('04', '1200'),
    ]
    const daily = [a, b, c, d, e].map((runId) => snapshot(runId))

    it.each([
      ['of one day, which is the published one', 1, [d, e]],
      ['of days without a snapshot too', 2, [d, e]],
      ['of a day in UTC', 3, [c, d, e]],
      ['of each day', 4, [a, c, d, e]],
      ['of more days than there are', 1000, [a, c, d, e]],
    ])('keeps that %s', (_, days, expected) => {
      const { left } = cleanUp(daily, e, { last: 2, daily: days })
      expect(snapshotsLeft(left)).toEqual(expected)
    })

    it('keeps the newest ones as well', () => {
      const { left } = cleanUp(daily, e, { last: 4, daily: 1 })
      expect(snapshotsLeft(left)).toEqual([b, c, d, e])
    })
  })

  it('deletes a snapshot completely: manifest, pages and other objects', () => {
    const old = { ...snapshot('r1'), others: [page('r1', 1, 2), 'snapshots/CL/r1/stray'] }
    const { plan } = cleanUp([old, snapshot('r2'), snapshot('r3')], 'r3', 2)
    const all = [manifestKey(entity, 'r1'), ...(old.manifest ?? []), ...old.others]
    expect(plan.toSorted()).toEqual(all.toSorted())
  })

  it('keeps the schema report and its changes with their snapshot, and deletes them with it', () => {
    const runs = ['r1', 'r2', 'r3'].map((runId) => ({
      ...snapshot(runId),
      others: [schemaReportKey(entity, runId), schemaChangesKey(entity, runId)],
    }))
    const { left } = cleanUp(runs, 'r3', 2)
    expect(left).toEqual([latestKey(entity), ...runs.slice(1).flatMap(keysOf)].toSorted())
  })

  it('deletes pages that the new manifest dropped, and those of attempts that were given up', () => {
    const others = [page('r2', 3, 3), page('r2', 1, 1), page('r2', 1, 2)]
    const manifest = [page('r2', 1, 3), page('r2', 2, 3)]
    const { plan, left } = cleanUp([snapshot('r1'), { runId: 'r2', manifest, others }], 'r2', 7)
    expect(plan.toSorted()).toEqual(others.toSorted())
    expect(left).toEqual(expect.arrayContaining(manifest))
  })

  it('keeps the evidence and what was checked of its pages, and not of attempts that were given up', () => {
    const inRun = (name: string) => `snapshots/CL/r2/${name}`
    const kept = [
      'evidence.json',
      'check-manifest.json',
      'check-listed-p000001.bin',
      'check-a3-p000001.bin',
    ].map(inRun)
    const others = ['check-a1-p000001.bin', 'check-r0-a3-p000001.bin', 'check-a3-stray'].map(inRun)
    const manifest = [page('r2', 1, 3)]
    const { plan } = cleanUp(
      [snapshot('r1'), { runId: 'r2', manifest, others: [...kept, ...others] }],
      'r2',
      7,
    )
    expect(plan.toSorted()).toEqual(others.toSorted())
  })

  it('deletes what an unfinished clean-up left of an older snapshot', () => {
    const ofRange = (range: number, attempt: number) =>
      pageKey({ entity, runId: 'r1', range, attempt }, 1, 'u')
    // The attempts of each range count on their own.
    const manifest = [page('r1', 1, 10), page('r1', 2, 10), ofRange(0, 1), ofRange(1, 3)]
    const others = [
      page('r1', 1, 2),
      page('r1', 1, 9),
      ofRange(1, 2),
      'snapshots/CL/r1/check-r1-a2-p000001.bin',
    ]
    const { plan } = cleanUp([{ runId: 'r1', manifest, others }, snapshot('r2')], 'r2', 7)
    expect(plan.toSorted()).toEqual(others.toSorted())
  })

  it('deletes the objects of older runs that published nothing, and none of newer runs', () => {
    const { plan } = cleanUp([leftover('r1'), snapshot('r2'), leftover('r3')], 'r2', 7)
    expect(plan).toEqual(keysOf(leftover('r1')).toSorted())
  })

  it('keeps what a worker may still be writing, with a manifest or without', () => {
    const writing = [leftover('r1'), snapshot('r2'), snapshot('r3'), snapshot('r4')].map((run) => ({
      ...run,
      outcome: 'unknown' as const,
    }))
    const { plan } = cleanUp([...writing, snapshot('r5')], 'r5', 2)
    expect(plan).toEqual([])
  })

  it('deletes a manifest that was never published, with its pages', () => {
    const late = { ...snapshot('r2'), outcome: 'unpublished' as const }
    const { plan, left } = cleanUp([snapshot('r1'), late, snapshot('r3')], 'r3', 2)
    expect(plan).toEqual([...(late.manifest ?? []), manifestKey(entity, 'r2')])
    expect(snapshotsLeft(left)).toEqual(['r1', 'r3'])
  })

  it('does not count runs that published nothing as snapshots', () => {
    const { left } = cleanUp([snapshot('r1'), leftover('r2'), leftover('r3'), snapshot('r4')], 'r4', 2)
    expect(snapshotsLeft(left)).toEqual(['r1', 'r4'])
  })

  it.each([
    ['r2', ['r2', 'r4', 'r5']],
    ['r4', ['r4', 'r5']],
  ])('keeps the snapshot of the tip %s, from which the next comparison starts', (tip, expected) => {
    const keys = runs.flatMap(keysOf)
    const plan = planCleanUp(publicationOf(manifestOf('r5', runs[4]?.manifest ?? [])), keys, {
      now,
      keepSnapshots: 2,
      tip,
      runOutcomeOf: outcomeIn(runs),
    })
    expect(snapshotsLeft(keys.filter((key) => !plan.includes(key)))).toEqual(expected)
  })

  it('keeps latest.json and objects of no run', () => {
    const published = snapshot('r1')
    const foreign = ['snapshots/CL/latest.json', 'snapshots/CL/notes.txt', 'snapshots/CL/']
    const keys = [...keysOf(published), ...foreign]
    const plan = planCleanUp(publicationOf(manifestOf('r1', published.manifest ?? [])), keys, {
      now,
      keepSnapshots: 1,
      tip: undefined,
      runOutcomeOf: () => 'unpublished',
    })
    expect(plan).toEqual([])
    expect(runsOf(entity, keys)).toEqual(['r1'])
  })
})
