import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../../../functions/state/run/run.ts'
import {
  latestKey,
  type Manifest,
  manifestKey,
  pageKey,
  refusedKey,
  schemaChangesKey,
  schemaReportKey,
} from '../../../../functions/state/snapshots/manifest.ts'
import {
  type EndedSnapshot,
  planCleanUp,
  type RetentionRules,
  type RunOutcome,
  runOutcomeOf,
  runsOf,
} from '../../../../functions/worker/publish/retention.ts'

const entity = 'CL'
const manifestOf = (runId: string, pages: readonly string[]): Manifest => ({
  version: 1,
  entity,
  runId,
  startedAt: '',
  openedAt: '',
  finishedAt: '',
  query: {},
  idField: 'id',
  pageSize: 1000,
  attempts: 1,
  documents: 0,
  uniqueIds: 0,
  reportedTotal: null,
  proof: 'exact',
  spent: { requests: 0, receivedBytes: 0, milliseconds: 0 },
  pages: pages.map((key) => ({ key, documents: 1, bytes: 1, sha256: '' })),
})

/** A run in the bucket: the pages of its manifest, if it has one, and its other objects. */
interface RunInBucket {
  readonly runId: string
  readonly manifest: readonly string[] | undefined
  readonly others: readonly string[]
  /** If absent, it was published if it has a manifest. */
  readonly outcome?: RunOutcome
}

const page = (runId: string, number: number, attempt = 1) =>
  pageKey({ entity, runId, attempt }, number, `u${attempt}${number}`)
const snapshot = (runId: string, pages = 2): RunInBucket => ({
  runId,
  manifest: Array.from({ length: pages }, (_, index) => page(runId, index + 1)),
  others: [],
})
const leftover = (runId: string): RunInBucket => ({
  runId,
  manifest: undefined,
  others: [page(runId, 1), page(runId, 1, 2)],
})
const keysOf = ({ runId, manifest, others }: RunInBucket) => [
  ...(manifest ? [...manifest, manifestKey(entity, runId)] : []),
  ...others,
]

const outcomeIn = (runs: readonly RunInBucket[]) => (runId: string) => {
  const run = runs.find((one) => one.runId === runId)
  return run?.outcome ?? (run?.manifest ? 'published' : 'unpublished')
}

const publicationOf = (manifest: Manifest): EndedSnapshot => ({
  outcome: 'published',
  manifest,
  published: manifest.runId,
})
const now = Date.UTC(2026, 2, 31)

/** What is deleted and what is kept after `published` was published. */
function cleanUp(
  runs: readonly RunInBucket[],
  published: string,
  keepSnapshots: RetentionRules['keepSnapshots'],
) {
  const own = runs.find(({ runId }) => runId === published)
  const keys = [...runs.flatMap(keysOf), latestKey(entity)].toSorted()
  const manifest = manifestOf(published, own?.manifest ?? [])
  const plan = planCleanUp(publicationOf(manifest), keys, {
    keepSnapshots,
    tip: undefined,
    runOutcomeOf: outcomeIn(runs),
    now,
  })
  const deleted = new Set([...plan.manifests, ...plan.objects])
  return { plan, keys, deleted, left: keys.filter((key) => !deleted.has(key)) }
}

const snapshotsLeft = (left: readonly string[]) =>
  left.filter((key) => key.endsWith('/manifest.json')).map((key) => key.split('/')[2])

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
    expect(plan.manifests).toEqual([manifestKey(entity, 'r1')])
    expect(plan.objects.toSorted()).toEqual([...(old.manifest ?? []), ...old.others].toSorted())
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
    expect(plan.objects.toSorted()).toEqual(others.toSorted())
    expect(left).toEqual(expect.arrayContaining(manifest))
  })

  it('deletes what an unfinished clean-up left of an older snapshot', () => {
    const manifest = [page('r1', 1, 10), page('r1', 2, 10)]
    const others = [page('r1', 1, 2), page('r1', 1, 9)]
    const { plan } = cleanUp([{ runId: 'r1', manifest, others }, snapshot('r2')], 'r2', 7)
    expect(plan.objects.toSorted()).toEqual(others.toSorted())
  })

  it('deletes the objects of older runs that published nothing, and none of newer runs', () => {
    const { plan } = cleanUp([leftover('r1'), snapshot('r2'), leftover('r3')], 'r2', 7)
    expect(plan).toEqual({ manifests: [], objects: keysOf(leftover('r1')).toSorted() })
  })

  it('keeps what a worker may still be writing, with a manifest or without', () => {
    const writing = [leftover('r1'), snapshot('r2'), snapshot('r3'), snapshot('r4')].map((run) => ({
      ...run,
      outcome: 'unknown' as const,
    }))
    const { plan } = cleanUp([...writing, snapshot('r5')], 'r5', 2)
    expect(plan).toEqual({ manifests: [], objects: [] })
  })

  it('deletes a manifest that was never published, with its pages', () => {
    const late = { ...snapshot('r2'), outcome: 'unpublished' as const }
    const { plan, left } = cleanUp([snapshot('r1'), late, snapshot('r3')], 'r3', 2)
    expect(plan).toEqual({ manifests: [manifestKey(entity, 'r2')], objects: late.manifest })
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
    const deleted = [...plan.manifests, ...plan.objects]
    expect(snapshotsLeft(keys.filter((key) => !deleted.includes(key)))).toEqual(expected)
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
    expect(plan).toEqual({ manifests: [], objects: [] })
    expect(runsOf(entity, keys)).toEqual(['r1'])
  })
})

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

  it('includes the published snapshot and the one before it', () => {
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

  it('is planned with manifests apart from their pages, and nothing twice', () => {
    fc.assert(
      fc.property(bucket, ({ plan, keys }) => {
        const all = [...plan.manifests, ...plan.objects]
        expect(new Set(all).size).toBe(all.length)
        expect(all.filter((key) => !keys.includes(key))).toEqual([])
        expect(all.filter((key) => key.endsWith('manifest.json'))).toEqual(plan.manifests)
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
        expect(again).toEqual({ manifests: [], objects: [] })
      }),
    )
  })
})

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
    const deleted = new Set([...plan.manifests, ...plan.objects])
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

  it('keeps the published snapshots, and deletes what older runs left that published nothing', () => {
    const ids = [9, 8, 7, 6, 5].map((days) => idAt(days))
    const [old = '', previous = '', failed = '', published = '', writing = ''] = ids
    const runs = [
      snapshot(old),
      snapshot(previous),
      leftover(failed),
      snapshot(published),
      { ...leftover(writing), outcome: 'unknown' as const },
      leftover(idAt(4)),
      refusedRun(idAt(3)),
      leftover(idAt(2)),
    ]
    expect(runsLeft(left(runs, idAt(3), published))).toEqual([previous, published, writing, idAt(3), idAt(2)])
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

  it.each<[string, RunOutcome[], string[]]>([
    [
      'is kept while the one that replaced it has just been published',
      ['published', 'published', 'just-published', 'published'],
      ['r2', 'r3', 'r4'],
    ],
    [
      'is kept with every other one that has just been replaced',
      ['published', 'just-published', 'just-published', 'published'],
      ['r1', 'r2', 'r3', 'r4'],
    ],
    [
      'is deleted once the one that replaced it is older',
      ['published', 'published', 'published', 'published'],
      ['r3', 'r4'],
    ],
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
    const deleted = (tip: string) => plan(tip).manifests.map((key) => key.split('/')[2])
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
    [
      'unknown if it was refused when it was settled',
      run({ status: 'refused', abandoned: true }),
      15,
      'unknown',
    ],
    ['unpublished if it was cancelled', run({ status: 'cancelled' }), 0, 'unpublished'],
    ['unknown if it was abandoned 15 minutes ago', run({ abandoned: true }), 15, 'unknown'],
    [
      'unpublished if it was abandoned so long ago that its worker has ended',
      run({ abandoned: true }),
      16,
      'unpublished',
    ],
  ])('is %s', (_, given, ...[minutes, outcome]) => {
    expect(runOutcomeOf(given, minutesLater(minutes))).toBe(outcome)
  })
})
