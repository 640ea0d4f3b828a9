import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunOutcome } from '../../../../stored/inventory/run-outcome.ts'
import { planCleanUp, runsOf } from '../../../../stored/inventory/snapshot-reasons.ts'
import { manifestKey } from '../../../../stored/snapshots/manifest.ts'
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
} from './bucket-content.ts'

describe('any content of the bucket', () => {
  const shape = fc.record({
    attempts: fc.integer({ min: 1, max: 12 }),
    pages: fc.integer({ min: 0, max: 4 }),
    hasManifest: fc.boolean(),
    leftOut: fc.nat(1),
    givenUp: fc.array(fc.tuple(fc.integer({ min: 1, max: 11 }), fc.integer({ min: 1, max: 3 })), {
      maxLength: 3,
    }),
    outcome: fc.constantFrom<RunOutcome>('published', 'published', 'unpublished', 'unknown'),
  })

  /** Runs as workers leave them: a manifest names pages of the last attempt. One of them is the published one. */
  const bucket = fc
    .tuple(fc.array(shape, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(10))
    .map(([shapes, choice, keepSnapshots]) => {
      const runs = shapes.map(({ outcome, ...one }, index): RunInBucket => {
        const isPublished = index === choice % shapes.length
        const runId = `20261121T0${String(index).padStart(2, '0')}000000Z-0123456789ab`
        const all = Array.from({ length: one.pages }, (_, at) => page(runId, at + 1, one.attempts))
        const kept = all.slice(0, Math.max(0, all.length - one.leftOut))
        const givenUp = one.givenUp
          .filter(([attempt]) => attempt < one.attempts)
          .map(([attempt, number]) => page(runId, number, attempt))
        return isPublished || one.hasManifest
          ? {
              runId,
              manifest: kept,
              others: [...all.slice(kept.length), ...new Set(givenUp)],
              outcome: isPublished ? 'published' : outcome,
            }
          : { runId, manifest: undefined, others: [...all, ...new Set(givenUp)], outcome }
      })
      const published = runs[choice % runs.length]?.runId ?? ''
      const before = runs.filter((run) => run.runId < published)
      return { runs, published, keepSnapshots, before, ...cleanUp(runs, published, keepSnapshots) }
    })

  const isSnapshot = ({ manifest, outcome }: RunInBucket) => manifest !== undefined && outcome === 'published'
  const wholeOf = ({ runId, manifest = [] }: RunInBucket) => [...manifest, manifestKey(entity, runId)]

  it('includes the published snapshot and the previous one', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, before, deleted }) => {
        const own = runs.filter(({ runId }) => runId === published)
        const last = before.filter(isSnapshot).slice(-1)
        expect([...own, ...last].flatMap(wholeOf).filter((key) => deleted.has(key))).toEqual([])
      }),
    )
  })

  it('includes newer runs and those that a worker may still be writing', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, deleted }) => {
        const alone = runs.filter(({ runId, outcome }) => runId > published || outcome === 'unknown')
        expect(alone.flatMap(keysOf).filter((key) => deleted.has(key))).toEqual([])
      }),
    )
  })

  it('includes every page of a manifest that is kept', () => {
    fc.assert(
      fc.property(bucket, ({ runs, deleted }) => {
        const stay = runs.filter(
          ({ runId, manifest }) => manifest && !deleted.has(manifestKey(entity, runId)),
        )
        expect(stay.flatMap(wholeOf).filter((key) => deleted.has(key))).toEqual([])
      }),
    )
  })

  it('includes as many of the newest snapshots as configured, and nothing of runs that published nothing', () => {
    fc.assert(
      fc.property(bucket, ({ keepSnapshots, before, published, left }) => {
        const wanted = before.filter(isSnapshot).slice(1 - Math.max(2, keepSnapshots))
        const stay = [...wanted, ...before.filter(({ outcome }) => outcome === 'unknown')]
        const expected = new Set(stay.filter((run) => keysOf(run).length > 0).map(({ runId }) => runId))
        expect(new Set(runsOf(entity, left).filter((runId) => runId < published))).toEqual(expected)
      }),
    )
  })

  it('is planned without anything twice', () => {
    fc.assert(
      fc.property(bucket, ({ plan, keys }) => {
        expect(new Set(plan).size).toBe(plan.length)
        expect(plan.filter((key) => !keys.includes(key))).toEqual([])
      }),
    )
  })

  it('needs no second clean-up', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, keepSnapshots, left }) => {
        const own = runs.find(({ runId }) => runId === published)?.manifest ?? []
        const again = planCleanUp(publicationOf(manifestOf(published, own)), left, {
          now,
          keepSnapshots,
          tip: undefined,
          runOutcomeOf: outcomeIn(runs),
        })
        expect(again).toEqual([])
      }),
    )
  })
})
