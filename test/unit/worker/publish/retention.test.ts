import { describe, expect, it } from 'vitest'
import {
  type EndedSnapshot,
  planCleanUp,
  type RetentionRules,
  type RunOutcome,
  runOutcomeOf,
  runsOf,
} from '../../../../stored/inventory/snapshot-reasons.ts'
import type { Run } from '../../../../stored/run/run.ts'
import {
  latestKey,
  type Manifest,
  manifestKey,
  pageKey,
  refusedKey,
  schemaChangesKey,
  schemaReportKey,
} from '../../../../stored/snapshots/manifest.ts'

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
const keysOf = ({ runId, manifest, others }: RunInBucket) => [
  ...(manifest ? [...manifest, manifestKey(entity, runId)] : []),
  ...others,
]

const outcomeIn = (runs: readonly RunInBucket[]) => (runId: string) => {
  const run = runs.find((one) => one.runId === runId)
  return run?.outcome ?? (run?.manifest ? 'published' : 'unpublished')
}

const now = Date.UTC(2026, 2, 31)

type Rules = Partial<Pick<EndedSnapshot, 'outcome' | 'published'> & RetentionRules>

/** What is deleted and what is kept after `current` was published, or refused. */
function cleanUp(runs: readonly RunInBucket[], current: string, rules: Rules = {}) {
  const { outcome = 'published', ...others } = rules
  const own = runs.find(({ runId }) => runId === current)
  const keys = [...runs.flatMap(keysOf), latestKey(entity)].toSorted()
  const manifest = manifestOf(current, own?.manifest ?? [page(current, 1)])
  const published = 'published' in others ? others.published : current
  const defaults = { keepSnapshots: 2, tip: undefined, runOutcomeOf: outcomeIn(runs), now }
  const plan = planCleanUp({ outcome, manifest, published }, keys, { ...defaults, ...others })
  return { plan, left: keys.filter((key) => !plan.includes(key)) }
}

const snapshotsLeft = (left: readonly string[]) =>
  left.filter((key) => key.endsWith('/manifest.json')).map((key) => key.split('/')[2])

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
      const { left } = cleanUp(daily, e, { keepSnapshots: { last: 2, daily: days } })
      expect(snapshotsLeft(left)).toEqual(expected)
    })

    it('keeps the newest ones as well', () => {
      const { left } = cleanUp(daily, e, { keepSnapshots: { last: 4, daily: 1 } })
      expect(snapshotsLeft(left)).toEqual([b, c, d, e])
    })
  })

  it('deletes a snapshot completely: manifest, pages and other objects', () => {
    const old = { ...snapshot('r1'), others: [page('r1', 1, 2), 'snapshots/CL/r1/stray'] }
    const { plan } = cleanUp([old, snapshot('r2'), snapshot('r3')], 'r3')
    const all = [manifestKey(entity, 'r1'), ...(old.manifest ?? []), ...old.others]
    expect(plan.toSorted()).toEqual(all.toSorted())
  })

  it('keeps the schema report and its changes with their snapshot, and deletes them with it', () => {
    const runs = ['r1', 'r2', 'r3'].map((runId) => ({
      ...snapshot(runId),
      others: [schemaReportKey(entity, runId), schemaChangesKey(entity, runId)],
    }))
    const { left } = cleanUp(runs, 'r3')
    expect(left).toEqual([latestKey(entity), ...runs.slice(1).flatMap(keysOf)].toSorted())
  })

  it('deletes pages that the new manifest dropped, and those of attempts that were given up', () => {
    const others = [page('r2', 3, 3), page('r2', 1, 1), page('r2', 1, 2)]
    const manifest = [page('r2', 1, 3), page('r2', 2, 3)]
    const { plan, left } = cleanUp([snapshot('r1'), { runId: 'r2', manifest, others }], 'r2', {
      keepSnapshots: 7,
    })
    expect(plan.toSorted()).toEqual(others.toSorted())
    expect(left).toEqual(expect.arrayContaining(manifest))
  })

  it('deletes the attempts that an older run gave up, in each range, and an unpublished run with its manifest', () => {
    const given = [page('r2', 1, 1), page('r2', 2, 2), 'snapshots/CL/r2/r0-a1-p000001-u.ndjson.gz']
    const last = [page('r2', 1, 3), page('r2', 2, 3), 'snapshots/CL/r2/r0-a2-p000001-u.ndjson.gz']
    const older = { runId: 'r2', manifest: last, others: given }
    const unpublished = { ...snapshot('r1'), outcome: 'unpublished' as const }
    const { plan, left } = cleanUp([unpublished, older, snapshot('r3')], 'r3', { keepSnapshots: 7 })
    expect(plan.toSorted()).toEqual([...keysOf(unpublished), ...given].toSorted())
    expect(left).toEqual(expect.arrayContaining(last))
  })

  it('keeps all that older runs in progress and newer runs wrote, whatever the items of these say', () => {
    const others = [page('r1', 1, 2)]
    const older = {
      runId: 'r1',
      manifest: undefined,
      others: [page('r1', 1), ...others],
      outcome: 'unknown' as const,
    }
    const newer = { ...snapshot('r4'), others: [page('r4', 1, 2)], outcome: 'unpublished' as const }
    expect(cleanUp([older, snapshot('r3'), newer], 'r3').plan).toEqual([])
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
      { keepSnapshots: 7 },
    )
    expect(plan.toSorted()).toEqual(others.toSorted())
  })

  it.each([
    ['r2', ['r2', 'r4', 'r5']],
    ['r4', ['r4', 'r5']],
  ])('keeps the snapshot of the tip %s, from which the next comparison starts', (tip, expected) => {
    expect(snapshotsLeft(cleanUp(runs, 'r5', { tip }).left)).toEqual(expected)
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

  const left = (runs: readonly RunInBucket[], current: string, published: string | undefined) =>
    cleanUp(runs, current, { outcome: 'refused', published }).left

  it('keeps the pages of the refused run and its refused.json, without pages of attempts that were given up', () => {
    const run = refusedRun(idAt(0), [page(idAt(0), 1, 2), manifestKey(entity, idAt(0))])
    const kept = [page(idAt(0), 1), refusedKey(entity, idAt(0)), latestKey(entity)]
    expect(left([run], idAt(0), undefined)).toEqual(kept)
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
    expect(runsLeft(cleanUp(runs, idAt(2)).left)).toEqual([idAt(2), idAt(1)])
  })
})

describe('a snapshot that a comparison may still be about to make the tip', () => {
  const left = (outcomes: readonly RunOutcome[]) => {
    const runs = outcomes.map((outcome, index) => ({ ...snapshot(`r${index + 1}`), outcome }))
    return snapshotsLeft(cleanUp(runs, `r${outcomes.length}`).left)
  }

  const fresh = 'just-published'
  it.each<[string, RunOutcome[], string[]]>([
    ['is kept with a new successor', ['published', 'published', fresh, 'published'], ['r2', 'r3', 'r4']],
    ['is kept with all just replaced', ['published', fresh, fresh, 'published'], ['r1', 'r2', 'r3', 'r4']],
    ['goes once its successor is older', ['published', 'published', 'published', 'published'], ['r3', 'r4']],
  ])('%s', (_, outcomes, expected) => expect(left(outcomes)).toEqual(expected))

  it('is deleted if the chain is already beyond it', () => {
    const runs = ['r1', 'r2', 'r3', 'r4', 'r5'].map((runId) => snapshot(runId))
    const plan = (tip: string) => cleanUp(runs, 'r5', { tip, runOutcomeOf: () => 'just-published' }).plan
    const deleted = (tip: string) => [...new Set(plan(tip).map((key) => key.split('/')[2]))]
    expect(deleted('r1')).toEqual([])
    expect(deleted('r3')).toEqual(['r1', 'r2'])
    expect(deleted('r5')).toEqual(['r1', 'r2', 'r3'])
  })
})

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
])('the outcome of an older run is %s', (_, given, ...[minutes, outcome]) => {
  expect(runOutcomeOf(given, minutesLater(minutes))).toBe(outcome)
})
