import { expect, it } from 'vitest'
import {
  isFilterUseful,
  matchingEntities,
  nextSorting,
  type Show,
  type Sorting,
  sortedEntities,
  tilesOf,
} from '../../../../console/client/model/entity-order.ts'
import { runsInProgress } from '../../../../console/client/model/runs-in-progress.ts'
import type { EntityRow } from '../../../../console/contract/overview.ts'

const entity = (change: object = {}) =>
  ({
    entity: 'CL',
    freshness: { kind: 'fresh', ageMs: 1, maxAgeMs: 2 },
    snapshot: { documents: 95 },
    next: { kind: 'none' },
    running: null,
    lastRun: null,
    problems: [],
    ...change,
  }) as unknown as EntityRow
const freshness = (kind: string) => ({ freshness: { kind } })
const problem = { problems: [{ level: 'problem' }, { level: 'note' }] }
/** It has sent no request that shows. */
const begun = { status: 'running', attempt: 1, pages: 0, faults: {}, republishedFrom: null }
const names = (rows: readonly EntityRow[]) => rows.map(({ entity }) => entity)

it('counts the entities by what an operator needs to know first, so that the numbers add up', () => {
  const rows = [
    entity({ running: { status: 'running' } }),
    entity({ running: begun, ...freshness('never') }),
    entity(problem),
    entity({ problems: [{ level: 'note' }] }),
    entity(freshness('stale')),
    entity({ ...freshness('stale'), ...problem }),
    entity(freshness('unscheduled')),
  ]
  const tiles = tilesOf(rows)
  expect(tiles).toEqual([
    { show: 'all', label: 'Entities', value: 7, tone: 'neutral' },
    { show: 'problem', label: 'With a problem', value: 2, tone: 'problem' },
    { show: 'fresh', label: 'Fresh', value: 2, tone: 'good' },
    { show: 'unscheduled', label: 'Without an age limit', value: 1, tone: 'neutral' },
    { show: 'stale', label: 'Stale, without a problem', value: 1, tone: 'neutral' },
    { show: 'never', label: 'Without a snapshot or problem', value: 1, tone: 'neutral' },
    { show: 'running', label: 'Running now', value: 1, tone: 'active' },
    { show: 'waiting', label: 'Waiting', value: 1, tone: 'active' },
  ])
  expect(tiles.slice(1, -2).reduce((sum, { value }) => sum + value, 0)).toBe(rows.length)
  for (const { show, value } of tiles) expect(matchingEntities(rows, { show, name: '' })).toHaveLength(value)
  expect(tilesOf([]).map(({ label, tone }) => [label, tone])).toEqual([
    ['Entities', ''],
    ['With a problem', ''],
    ['Fresh', ''],
    ['Running now', ''],
  ])
})

it.each<[Show, string, string[]]>([
  ['all', '', ['CL', 'AD', 'clients']],
  ['all', ' cl ', ['CL', 'clients']],
  ['all', 'D', ['AD']],
  ['all', 'x', []],
  ['problem', 'c', ['clients']],
])('of those of %s, the filter %j matches %j', (show, name, expected) => {
  const rows = [entity(), entity({ entity: 'AD' }), entity({ entity: 'clients', ...problem })]
  expect(names(matchingEntities(rows, { show, name }))).toEqual(expected)
})

const rows = [
  entity({ entity: 'b', snapshot: { documents: 10 }, next: { kind: 'run', at: '2026-11-22' } }),
  entity({ entity: 'C', lastRun: { startedAt: '2026-11-20' }, freshness: { kind: 'stale', ageMs: 9 } }),
  entity({ entity: 'waits', running: { status: 'waiting', startedAt: '2026-11-21' } }),
  entity({ entity: 'runs', running: { status: 'running', startedAt: '2026-11-22' }, ...freshness('never') }),
  entity({ entity: 'note', snapshot: null, problems: [{ level: 'note' }] }),
  entity({ entity: 'a', next: { kind: 'run', at: '2026-11-21' }, ...problem }),
]

it.each<[string, Sorting, string[]]>([
  ['problems first', undefined, ['a', 'note', 'runs', 'waits', 'b', 'C']],
  ['by name', { column: 'entity', isDescending: false }, ['a', 'b', 'C', 'note', 'runs', 'waits']],
  ['by documents', { column: 'documents', isDescending: true }, ['C', 'waits', 'runs', 'a', 'b', 'note']],
  ['by age', { column: 'snapshot', isDescending: true }, ['runs', 'C', 'b', 'waits', 'note', 'a']],
  ['by the last run', { column: 'run', isDescending: true }, ['runs', 'waits', 'C', 'b', 'note', 'a']],
  ['by the next run', { column: 'next', isDescending: false }, ['a', 'b', 'C', 'waits', 'runs', 'note']],
])('sorts entities %s', (_, sorting, expected) => {
  expect(names(sortedEntities(rows, sorting))).toEqual(expected)
})

it('sorts by a column ascending, then descending, then as at first', () => {
  const ascending = nextSorting({ column: 'entity', isDescending: true }, 'next')
  expect(ascending).toEqual({ column: 'next', isDescending: false })
  const descending = nextSorting(ascending, 'next')
  expect(descending).toEqual({ column: 'next', isDescending: true })
  expect(nextSorting(descending, 'next')).toBeUndefined()
})

it.each([
  [10, false],
  [11, true],
])('%i entities have a filter: %j', (count, expected) => {
  expect(isFilterUseful(Array.from({ length: count }, () => entity()))).toBe(expected)
})

it('shows eight runs, those that scroll first, and counts the others and those that wait for a slot', () => {
  const run = (status: string, waits?: string) =>
    entity({ running: { status, wait: waits === undefined ? null : { for: waits } } })
  const many = [
    ...Array.from({ length: 215 }, () => run('waiting', 'slot')),
    run('waiting', 'platform'),
    ...Array.from({ length: 10 }, () => run('running')),
  ]
  const { cards, lines } = runsInProgress(many)
  expect(cards.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'running'))
  expect(lines).toEqual(['3 more are in progress', '215 wait for a slot'])
  expect(runsInProgress(many.slice(214, 217))).toMatchObject({
    cards: [{ status: 'running' }, { status: 'waiting' }],
    lines: ['1 waits for a slot'],
  })
  expect(runsInProgress(many.slice(-9)).lines).toEqual(['1 more is in progress'])
  const starting = runsInProgress([
    ...Array.from({ length: 99 }, () => entity({ running: begun })),
    ...many.slice(214, 217),
  ])
  expect(starting.cards.map(({ status }) => status)).toEqual(['running', 'waiting'])
  expect(starting.lines).toEqual(['100 wait for a slot'])
  expect(
    runsInProgress([entity({ running: begun }), entity({ running: { ...begun, pages: 1 } })]).cards,
  ).toMatchObject([{ pages: 1 }, { pages: 0 }])
  expect(runsInProgress([entity()])).toEqual({ cards: [], lines: [] })
})
