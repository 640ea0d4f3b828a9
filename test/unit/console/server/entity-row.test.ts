import { expect, it } from 'vitest'
import { entityRow } from '../../../../console/server/data/entity-row.ts'
import type { EntitySettings } from '../../../../functions/runtime/settings.ts'
import { entityNamed } from '../../../entity-named.ts'
import { factsOf } from '../../problems/facts-of.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const snapshot = { runId: 'r2', publishedAt: '2026-11-21T11:00:00.000Z', documents: 95 }
const run = (runId: string, status: string, documents = 95) => ({
  runId,
  status,
  documents,
  proof: 'exact',
  ...(status !== 'running' && { endedAt: '2026-11-21T11:00:00.000Z' }),
})
const view = {
  entity: 'CL',
  schedule: 'rate(1 day)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot,
  runs: [],
}
const counts = { kind: 'changes', base: 'r0', created: 1, updated: 2, deleted: 3, delivered: 0 }
const sets = (...ids: string[]) => ({ tip: ids.at(-1), sets: ids.map((runId) => ({ ...counts, runId })) })

const rowOf = (change: { settings?: object; view?: object; chain?: object }) => {
  const settings = { ...entityNamed('CL'), ...change.settings } as EntitySettings
  const shown = { ...view, ...change.view }
  const facts = factsOf({ settings, state: { latest: (shown.snapshot ?? undefined) as never }, now })
  return entityRow(settings, {
    view: shown as never,
    chain: change.chain as never,
    next: { kind: 'none' },
    facts,
  })
}

it.each<[name: string, settings: object, chain: object | undefined, changes: object]>([
  ['are off', { changes: false }, sets('r2'), { kind: 'off' }],
  ['do not exist yet', {}, undefined, { kind: 'none' }],
  ['have none that is kept', {}, sets(), { kind: 'none' }],
  ['are current', {}, sets('r1', 'r2'), { kind: 'last', set: { ...counts, runId: 'r2' }, isCurrent: true }],
  ['lag behind', {}, sets('r1'), { kind: 'last', set: { ...counts, runId: 'r1' }, isCurrent: false }],
])('change sets that %s', (...[, settings, chain, changes]) => {
  expect(rowOf({ settings, ...(chain && { chain }) }).changes).toEqual(changes)
})

it('shows the last run that ended, not one that is in progress or was skipped', () => {
  const runs = [run('r5', 'running'), run('r4', 'skipped'), run('r3', 'refused', 40), run('r2', 'published')]
  const { lastRun, proof, trend } = rowOf({ view: { runs } })
  expect([lastRun?.runId, proof, trend]).toEqual(['r3', 'exact', [95]])
})

it('has no proof if the run of the snapshot has expired, and no last run before the first', () => {
  expect(rowOf({ view: { runs: [run('r3', 'published')] } }).proof).toBeNull()
  expect(rowOf({})).toMatchObject({ proof: null, lastRun: null, trend: [], freshness: { kind: 'fresh' } })
  expect(rowOf({ view: { snapshot: null } }).freshness).toEqual({ kind: 'never' })
})

const twoDaysMs = 2 * 86_400_000

it.each<[ageMs: number, settings: object, freshness: object]>([
  [twoDaysMs - 1, {}, { kind: 'fresh', ageMs: twoDaysMs - 1, maxAgeMs: twoDaysMs }],
  [twoDaysMs, {}, { kind: 'stale', ageMs: twoDaysMs, maxAgeMs: twoDaysMs }],
  [twoDaysMs, { enabled: false }, { kind: 'unscheduled', ageMs: twoDaysMs }],
])(
  'shows a snapshot of every day that was published %i ms ago, with %j, as %j',
  (ageMs, settings, freshness) => {
    const published = { ...snapshot, publishedAt: new Date(now - ageMs).toISOString() }
    const schedule = 'rate(1 day)'
    expect(rowOf({ settings: { schedule, ...settings }, view: { snapshot: published } }).freshness).toEqual(
      freshness,
    )
  },
)
