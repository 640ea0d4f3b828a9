import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latestKey, type Manifest, manifestKey, pageKey } from '../../../functions/state/manifest.ts'
import type { Run } from '../../../functions/state/run.ts'
import {
  planCleanUp,
  type RunOutcome,
  runOutcomeOf,
  runsOf,
} from '../../../functions/worker/publish/retention.ts'

const entity = 'CL'
const manifestOf = (runId: string, pages: readonly string[]): Manifest => ({
  version: 1,
  entity,
  runId,
  startedAt: '',
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

/** A run in the bucket: the pages of its manifest, if it has one, and what else lies beside them. */
interface RunInBucket {
  readonly runId: string
  readonly manifest: readonly string[] | undefined
  readonly others: readonly string[]
  /** As its item tells; if absent, it published if it has a manifest. */
  readonly fate?: RunOutcome
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

const fateIn = (runs: readonly RunInBucket[]) => (runId: string) => {
  const run = runs.find((one) => one.runId === runId)
  return run?.fate ?? (run?.manifest ? 'published' : 'unpublished')
}

/** What goes and what stays after `published` has moved the door to itself. */
function cleanUp(runs: readonly RunInBucket[], published: string, keepSnapshots: number) {
  const own = runs.find(({ runId }) => runId === published)
  const keys = [...runs.flatMap(keysOf), latestKey(entity)].toSorted()
  const manifest = manifestOf(published, own?.manifest ?? [])
  const plan = planCleanUp(manifest, keys, { keepSnapshots, runOutcomeOf: fateIn(runs) })
  const gone = new Set([...plan.manifests, ...plan.objects])
  return { plan, keys, gone, left: keys.filter((key) => !gone.has(key)) }
}

const snapshotsLeft = (left: readonly string[]) =>
  left.filter((key) => key.endsWith('/manifest.json')).map((key) => key.split('/')[2])

describe('after a publication', () => {
  const runs = ['r1', 'r2', 'r3', 'r4', 'r5'].map((runId) => snapshot(runId))

  it.each([
    [7, ['r1', 'r2', 'r3', 'r4', 'r5']],
    [5, ['r1', 'r2', 'r3', 'r4', 'r5']],
    [4, ['r2', 'r3', 'r4', 'r5']],
    [2, ['r4', 'r5']],
    [1, ['r4', 'r5']],
    [0, ['r4', 'r5']],
  ])('the newest %i snapshots stay, and two at least', (keepSnapshots, expected) => {
    const { left } = cleanUp(runs, 'r5', keepSnapshots)
    expect(snapshotsLeft(left)).toEqual(expected)
    expect(left).toHaveLength(expected.length * 3 + 1)
  })

  it('a snapshot goes whole: its manifest, its pages and what lies beside them', () => {
    const old = { ...snapshot('r1'), others: [page('r1', 1, 2), 'snapshots/CL/r1/stray'] }
    const { plan } = cleanUp([old, snapshot('r2'), snapshot('r3')], 'r3', 2)
    expect(plan.manifests).toEqual([manifestKey(entity, 'r1')])
    expect(plan.objects.toSorted()).toEqual([...(old.manifest ?? []), ...old.others].toSorted())
  })

  it('pages that the new manifest left out go, and so do those of attempts that were given up', () => {
    const others = [page('r2', 3, 3), page('r2', 1, 1), page('r2', 1, 2)]
    const manifest = [page('r2', 1, 3), page('r2', 2, 3)]
    const { plan, left } = cleanUp([snapshot('r1'), { runId: 'r2', manifest, others }], 'r2', 7)
    expect(plan.objects.toSorted()).toEqual(others.toSorted())
    expect(left).toEqual(expect.arrayContaining(manifest))
  })

  it('what an unfinished clean-up left of an older snapshot goes, its own attempt stays', () => {
    const manifest = [page('r1', 1, 10), page('r1', 2, 10)]
    const others = [page('r1', 1, 2), page('r1', 1, 9)]
    const { plan } = cleanUp([{ runId: 'r1', manifest, others }, snapshot('r2')], 'r2', 7)
    expect(plan.objects.toSorted()).toEqual(others.toSorted())
  })

  it('what older runs left that published nothing goes; newer runs are let alone', () => {
    const { plan } = cleanUp([leftover('r1'), snapshot('r2'), leftover('r3')], 'r2', 7)
    expect(plan).toEqual({ manifests: [], objects: keysOf(leftover('r1')).toSorted() })
  })

  it('what somebody may still be writing stays, with a manifest or without', () => {
    const writing = [leftover('r1'), snapshot('r2'), snapshot('r3'), snapshot('r4')].map((run) => ({
      ...run,
      fate: 'unknown' as const,
    }))
    const { plan } = cleanUp([...writing, snapshot('r5')], 'r5', 2)
    expect(plan).toEqual({ manifests: [], objects: [] })
  })

  it('a manifest that was never published goes with its pages, and counts for nothing', () => {
    const late = { ...snapshot('r2'), fate: 'unpublished' as const }
    const { plan, left } = cleanUp([snapshot('r1'), late, snapshot('r3')], 'r3', 2)
    expect(plan).toEqual({ manifests: [manifestKey(entity, 'r2')], objects: late.manifest })
    expect(snapshotsLeft(left)).toEqual(['r1', 'r3'])
  })

  it('runs that published nothing do not count as snapshots', () => {
    const { left } = cleanUp([snapshot('r1'), leftover('r2'), leftover('r3'), snapshot('r4')], 'r4', 2)
    expect(snapshotsLeft(left)).toEqual(['r1', 'r4'])
  })

  it('the door and what is nobody’s stay', () => {
    const published = snapshot('r1')
    const foreign = ['snapshots/CL/latest.json', 'snapshots/CL/notes.txt', 'snapshots/CL/']
    const keys = [...keysOf(published), ...foreign]
    const plan = planCleanUp(manifestOf('r1', published.manifest ?? []), keys, {
      keepSnapshots: 1,
      runOutcomeOf: () => 'unpublished',
    })
    expect(plan).toEqual({ manifests: [], objects: [] })
    expect(runsOf(entity, keys)).toEqual(['r1'])
  })
})

describe('whatever lies in the bucket', () => {
  const shape = fc.record({
    attempts: fc.integer({ min: 1, max: 12 }),
    pages: fc.integer({ min: 0, max: 4 }),
    hasManifest: fc.boolean(),
    leftOut: fc.nat(1),
    givenUp: fc.array(fc.tuple(fc.integer({ min: 1, max: 11 }), fc.integer({ min: 1, max: 3 })), {
      maxLength: 3,
    }),
    fate: fc.constantFrom<RunOutcome>('published', 'published', 'unpublished', 'unknown'),
  })

  /** Runs as workers leave them: a manifest names pages of the last attempt. One of them is the published one. */
  const bucket = fc
    .tuple(fc.array(shape, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(10))
    .map(([shapes, choice, keepSnapshots]) => {
      const runs = shapes.map(({ fate, ...one }, index): RunInBucket => {
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
              fate: isPublished ? 'published' : fate,
            }
          : { runId, manifest: undefined, others: [...all, ...new Set(givenUp)], fate }
      })
      const published = runs[choice % runs.length]?.runId ?? ''
      const before = runs.filter((run) => run.runId < published)
      return { runs, published, keepSnapshots, before, ...cleanUp(runs, published, keepSnapshots) }
    })

  const isSnapshot = ({ manifest, fate }: RunInBucket) => manifest !== undefined && fate === 'published'
  const wholeOf = ({ runId, manifest = [] }: RunInBucket) => [...manifest, manifestKey(entity, runId)]

  it('the published snapshot and the one before it stay whole', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, before, gone }) => {
        const own = runs.filter(({ runId }) => runId === published)
        const last = before.filter(isSnapshot).slice(-1)
        expect([...own, ...last].flatMap(wholeOf).filter((key) => gone.has(key))).toEqual([])
      }),
    )
  })

  it('newer runs, and those where somebody may be writing, are not touched', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, gone }) => {
        const alone = runs.filter(({ runId, fate }) => runId > published || fate === 'unknown')
        expect(alone.flatMap(keysOf).filter((key) => gone.has(key))).toEqual([])
      }),
    )
  })

  it('every page of a manifest that stays, stays', () => {
    fc.assert(
      fc.property(bucket, ({ runs, gone }) => {
        const stay = runs.filter(({ runId, manifest }) => manifest && !gone.has(manifestKey(entity, runId)))
        expect(stay.flatMap(wholeOf).filter((key) => gone.has(key))).toEqual([])
      }),
    )
  })

  it('as many snapshots stay as are wanted, the newest, and nothing of those that published nothing', () => {
    fc.assert(
      fc.property(bucket, ({ keepSnapshots, before, published, left }) => {
        const wanted = before.filter(isSnapshot).slice(1 - Math.max(2, keepSnapshots))
        const stay = [...wanted, ...before.filter(({ fate }) => fate === 'unknown')]
        const expected = new Set(stay.filter((run) => keysOf(run).length > 0).map(({ runId }) => runId))
        expect(new Set(runsOf(entity, left).filter((runId) => runId < published))).toEqual(expected)
      }),
    )
  })

  it('manifests are listed apart, before their pages, and nothing is listed twice or made up', () => {
    fc.assert(
      fc.property(bucket, ({ plan, keys }) => {
        const all = [...plan.manifests, ...plan.objects]
        expect(new Set(all).size).toBe(all.length)
        expect(all.filter((key) => !keys.includes(key))).toEqual([])
        expect(all.filter((key) => key.endsWith('manifest.json'))).toEqual(plan.manifests)
      }),
    )
  })

  it('a second clean-up finds nothing more to do', () => {
    fc.assert(
      fc.property(bucket, ({ runs, published, keepSnapshots, left }) => {
        const own = runs.find(({ runId }) => runId === published)?.manifest ?? []
        const again = planCleanUp(manifestOf(published, own), left, {
          keepSnapshots,
          runOutcomeOf: fateIn(runs),
        })
        expect(again).toEqual({ manifests: [], objects: [] })
      }),
    )
  })
})

describe('what has become of an older run', () => {
  const endedAt = '2026-11-21T05:00:00.000Z'
  const minutesLater = (minutes: number) => Date.parse(endedAt) + minutes * 60_000
  const run = (change: Partial<Run>) => ({ status: 'failed', endedAt, updatedAt: endedAt, ...change }) as Run

  it.each<[string, Run | undefined, number, RunOutcome]>([
    ['its item has expired: its manifest tells', undefined, 0, 'published'],
    ['it published', run({ status: 'published' }), 0, 'published'],
    ['it runs', run({ status: 'running' }), 1_000_000, 'unknown'],
    ['it waits', run({ status: 'waiting' }), 1_000_000, 'unknown'],
    ['it publishes', run({ status: 'publishing' }), 1_000_000, 'unknown'],
    ['it failed', run({}), 0, 'unpublished'],
    ['it was refused', run({ status: 'refused' }), 0, 'unpublished'],
    ['it was cancelled', run({ status: 'cancelled' }), 0, 'unpublished'],
    ['it was left behind a quarter of an hour ago', run({ abandoned: true }), 15, 'unknown'],
    ['it was left behind, and no worker of it can live', run({ abandoned: true }), 16, 'unpublished'],
  ])('%s', (_, given, ...[minutes, fate]) => {
    expect(runOutcomeOf(given, minutesLater(minutes))).toBe(fate)
  })
})
