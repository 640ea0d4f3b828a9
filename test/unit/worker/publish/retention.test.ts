import { describe, expect, it } from 'vitest'
import { planCleanUp } from '../../../../stored/inventory/snapshot-reasons.ts'
import {
  latestKey,
  manifestKey,
  schemaChangesKey,
  schemaReportKey,
} from '../../../../stored/snapshots/manifest.ts'
import {
  cleanUp,
  entity,
  keysOf,
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
})
