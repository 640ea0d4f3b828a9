import { describe, expect, it } from 'vitest'
import { type RunOutcome, runOutcomeOf } from '../../../../stored/inventory/run-outcome.ts'
import { planCleanUp, runsOf } from '../../../../stored/inventory/snapshot-reasons.ts'
import type { Run } from '../../../../stored/run/run.ts'
import { manifestKey, refusedKey } from '../../../../stored/snapshots/manifest.ts'
import {
  cleanUp,
  entity,
  keysOf,
  manifestOf,
  now,
  outcomeIn,
  page,
  publicationOf,
  type RunInBucket,
  snapshot,
  snapshotsLeft,
} from './bucket-content.ts'

describe('the clean-up after a refusal', () => {
  const day = 24 * 3_600_000
  const idAt = (daysAgo: number) =>
    `${new Date(now - daysAgo * day).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
  const refusedRun = (runId: string, others: readonly string[] = []): RunInBucket => ({
    runId,
    manifest: undefined,
    others: [page(runId, 1), refusedKey(entity, runId), ...others],
    outcome: 'refused',
  })
  const runsLeft = (keys: readonly string[]) => runsOf(entity, keys)

  /** The runs of which something is left after `current` was refused. */
  function left(runs: readonly RunInBucket[], current: string, published: string | undefined) {
    const keys = runs.flatMap(keysOf).toSorted()
    const ended = {
      outcome: 'refused',
      manifest: manifestOf(current, [page(current, 1)]),
      published,
    } as const
    const plan = planCleanUp(ended, keys, {
      keepSnapshots: 2,
      tip: undefined,
      runOutcomeOf: outcomeIn(runs),
      now,
    })
    const deleted = new Set(plan)
    return keys.filter((key) => !deleted.has(key))
  }

  it('keeps the pages of the refused run and its refused.json, without pages of attempts that were given up', () => {
    const run = refusedRun(idAt(0), [page(idAt(0), 1, 2), manifestKey(entity, idAt(0))])
    expect(left([run], idAt(0), undefined)).toEqual([page(idAt(0), 1), refusedKey(entity, idAt(0))])
  })

  it('keeps the newest seven refused runs', () => {
    const ids = [9, 8, 7, 6, 5, 4, 3, 2].map((days) => idAt(days))
    const runs = ids.map((id) => refusedRun(id))
    expect(runsLeft(left(runs, idAt(2), undefined))).toEqual(ids.slice(1))
  })

  it('keeps none that is older than 30 days, or than the published snapshot', () => {
    const runs = [refusedRun(idAt(31)), refusedRun(idAt(30)), refusedRun(idAt(1))]
    expect(runsLeft(left(runs, idAt(1), undefined))).toEqual([idAt(30), idAt(1)])
    const published = snapshot(idAt(20))
    const kept = left(
      [refusedRun(idAt(21)), published, refusedRun(idAt(19)), refusedRun(idAt(1))],
      idAt(1),
      idAt(20),
    )
    expect(runsLeft(kept)).toEqual([idAt(20), idAt(19), idAt(1)])
  })

  it('deletes refused runs once a newer one has published', () => {
    const runs = [refusedRun(idAt(3)), snapshot(idAt(2)), refusedRun(idAt(1))]
    expect(runsLeft(cleanUp(runs, idAt(2), 2).left)).toEqual([idAt(2), idAt(1)])
  })
})

describe('a snapshot that a comparison may still be about to make the tip', () => {
  const left = (outcomes: readonly RunOutcome[]) => {
    const runs = outcomes.map((outcome, index) => ({ ...snapshot(`r${index + 1}`), outcome }))
    return snapshotsLeft(cleanUp(runs, `r${outcomes.length}`, 2).left)
  }

  const fresh = 'just-published'
  it.each<[string, RunOutcome[], string[]]>([
    ['is kept with a new successor', ['published', 'published', fresh, 'published'], ['r2', 'r3', 'r4']],
    ['is kept if all are just replaced', ['published', fresh, fresh, 'published'], ['r1', 'r2', 'r3', 'r4']],
    ['goes once its successor is older', ['published', 'published', 'published', 'published'], ['r3', 'r4']],
  ])('%s', (_, outcomes, expected) => {
    expect(left(outcomes)).toEqual(expected)
  })

  it('is deleted if the chain is already beyond it', () => {
    const runs = ['r1', 'r2', 'r3', 'r4', 'r5'].map((runId) => snapshot(runId))
    const manifest = manifestOf('r5', runs[4]?.manifest ?? [])
    const keys = runs.flatMap(keysOf)
    const plan = (tip: string) =>
      planCleanUp(publicationOf(manifest), keys, {
        keepSnapshots: 2,
        tip,
        runOutcomeOf: () => 'just-published',
        now,
      })
    const deleted = (tip: string) => [...new Set(plan(tip).map((key) => key.split('/')[2]))]
    expect(deleted('r1')).toEqual([])
    expect(deleted('r3')).toEqual(['r1', 'r2'])
    expect(deleted('r5')).toEqual(['r1', 'r2', 'r3'])
  })
})

describe('the outcome of an older run', () => {
  const endedAt = '2026-11-21T05:00:00.000Z'
  const minutesLater = (minutes: number) => Date.parse(endedAt) + minutes * 60_000
  const run = (change: Partial<Run>) => ({ status: 'failed', endedAt, updatedAt: endedAt, ...change }) as Run

  it.each<[string, Run | undefined, number, RunOutcome]>([
    ['published if its item has expired', undefined, 0, 'published'],
    ['just published for 16 minutes', run({ status: 'published' }), 15, 'just-published'],
    ['published after that', run({ status: 'published' }), 16, 'published'],
    ['unknown while it runs', run({ status: 'running' }), 1_000_000, 'unknown'],
    ['unknown while it waits', run({ status: 'waiting' }), 1_000_000, 'unknown'],
    ['unknown while it publishes', run({ status: 'publishing' }), 1_000_000, 'unknown'],
    ['unpublished if it failed', run({}), 0, 'unpublished'],
    ['refused if it was refused', run({ status: 'refused' }), 0, 'refused'],
    ['unknown if it was refused as abandoned', run({ status: 'refused', abandoned: true }), 15, 'unknown'],
    ['unpublished if it was cancelled', run({ status: 'cancelled' }), 0, 'unpublished'],
    ['unknown if it was abandoned 15 minutes ago', run({ abandoned: true }), 15, 'unknown'],
    ['unpublished if it was abandoned before that', run({ abandoned: true }), 16, 'unpublished'],
  ])('is %s', (_, given, ...[minutes, outcome]) => {
    expect(runOutcomeOf(given, minutesLater(minutes))).toBe(outcome)
  })
})
