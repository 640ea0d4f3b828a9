import { describe, expect, it } from 'vitest'
import { shortReasons } from '../../../../cli/sync/short-reasons.ts'
import { statusText } from '../../../../cli/sync/status-text.ts'
import type { Next } from '../../../../operator/text/next-run.ts'
import { entityProblems, factsOf, run as runOf } from '../../problems/facts-of.ts'

type Entity = Parameters<typeof statusText>[0][number]

const range = { where: '(createdIn is null)', documents: 20, total: 40, attempt: 1, suspect: false }
const run = {
  entity: 'CL',
  status: 'running',
  documents: 20,
  total: 80,
  percent: 25,
  attempt: 1,
  reason: null,
  documentsPerSecond: null,
  secondsLeft: null,
  partitions: null,
  partitionsReason: null,
}

const idle = {
  entity: 'CL',
  schedule: 'rate(1 day)',
  timezone: 'UTC',
  enabled: true,
  running: null,
  snapshot: null,
  runs: [],
  next: { kind: 'none' } as Next,
}

const entityWith = (change: Partial<typeof run> | { partitions: readonly (typeof range)[] }) =>
  ({
    ...idle,
    running: { ...run, ...change },
    next: { kind: 'run', at: new Date(90 * 60_000).toISOString() },
  }) as unknown as Entity
const wide = { now: 0, columns: undefined }

it('shows a bar for each range of a running run, and one for the whole', () => {
  const lines = statusText([entityWith({ partitions: [range] })], wide).split('\n')
  expect(lines[1]).toMatch(/^CL +rate\(1 day\) +- +never +running 25% +in 90 min$/)
  expect(lines[3]).toMatch(/^CL +█+░+ +25% {2}20 of 80$/)
  expect(lines[4]).toMatch(/^CL range 1 +█+░+ +50% {2}20 of 40 {2}\(createdIn is null\)$/)
})

it('shows why a run is scrolled without partitions', () => {
  const partitionsReason = 'The values of the field do not differ.'
  expect(statusText([entityWith({ partitionsReason } as never)], wide)).toContain(
    `\n\nCL: Scrolled without partitions: ${partitionsReason}`,
  )
})

it('says since when a run waits, for what, when it tries again, and when it gives up', () => {
  const at = (ms: number) => new Date(ms).toISOString()
  const wait = { for: 'platform', since: at(0), until: at(200_000), givesUpAt: at(1_500_000) }
  const waiting = { status: 'waiting', reason: 'Throttled.', wait }
  const text = statusText([entityWith(waiting as never)], { now: 180_000, columns: undefined })
  expect(text.split('\n').at(-1)).toBe(
    'CL: Waiting for 3 min: Throttled. Next try in 20 s. Gives up in 22 min.',
  )
})

it('shows the phases of the running run', () => {
  const scroll = { name: 'Scroll', from: '', detail: '', checks: [], durationMs: 61_000 }
  const phase = { ...scroll, state: 'now' } as const
  const first = { ...phase, name: 'First page', state: 'done', durationMs: 2_000 } as const
  const text = statusText([{ ...entityWith({}), story: { phases: [first, phase] } }], wide)
  expect(text.split('\n').at(-1)).toBe('CL: Phases: First page 2 s, Scroll in progress for 1 min 1 s')
})

it('shows nothing below the table for runs of one scroll', () =>
  expect(statusText([entityWith({})], wide).split('\n')).toHaveLength(2))

const day = 86_400_000
const cellsOf = (change: object) => {
  const entities = [{ ...idle, ...change } as unknown as Entity]
  const [heading, row, ...rest] = statusText(entities, { ...wide, now: day }).split('\n')
  expect([heading?.split(/ {2,}/), rest]).toEqual([
    ['ENTITY', 'SCHEDULE', 'DOCUMENTS', 'PUBLISHED', 'LAST RUN', 'NEXT RUN'],
    [],
  ])
  return row?.split(/ {2,}/).slice(1)
}

it.each<[name: string, change: object, cells: string[]]>([
  ['nothing was synced', {}, ['rate(1 day)', '-', 'never', '-', '-']],
  [
    'it has a time zone',
    { timezone: 'Europe/Lisbon' },
    ['rate(1 day) Europe/Lisbon', '-', 'never', '-', '-'],
  ],
  ['it has no schedule', { enabled: false }, ['on demand', '-', 'never', '-', '-']],
  [
    'it has a snapshot',
    { snapshot: { documents: 1200, publishedAt: new Date(day / 2).toISOString() } },
    ['rate(1 day)', '1,200', '12 h ago', '-', '-'],
  ],
  ['a run has ended', { runs: [{ ...run, status: 'failed' }] }, ['rate(1 day)', '-', 'never', 'failed', '-']],
  [
    'a run is in progress',
    { running: run, runs: [{ ...run, status: 'failed' }] },
    ['rate(1 day)', '-', 'never', 'running 25%', '-'],
  ],
  ['its schedule is paused', { next: { kind: 'paused' } }, ['rate(1 day)', '-', 'never', '-', 'paused']],
  [
    'it is paused until a time',
    { next: { kind: 'paused', until: new Date(day + 8 * 3_600_000).toISOString() } },
    ['rate(1 day)', '-', 'never', '-', 'paused, 8 h left'],
  ],
  ['its schedule is unknown', { next: { kind: 'unknown' } }, ['rate(1 day)', '-', 'never', '-', 'unknown']],
  [
    'its schedule is due',
    { next: { kind: 'run', at: new Date(2 * day).toISOString() } },
    ['rate(1 day)', '-', 'never', '-', 'in 24 h'],
  ],
])('shows an entity in one row if %s', (_, change, cells) => expect(cellsOf(change)).toEqual(cells))

it('shows why the last run was scrolled without partitions, even if a start was skipped after it', () => {
  const runs = [
    { ...run, status: 'skipped' },
    { ...run, status: 'published', partitionsReason: 'The search failed.' },
  ]
  expect(statusText([{ ...idle, runs } as unknown as Entity], wide)).toContain(
    '\n\nCL: Scrolled without partitions: The search failed.',
  )
})

it('reports that no entity is configured', () =>
  expect(statusText([], wide)).toBe('No entity is configured.'))

it.each([
  [200, 'ENTITY SCHEDULE DOCUMENTS PUBLISHED LAST RUN NEXT RUN'],
  [62, 'ENTITY DOCUMENTS PUBLISHED LAST RUN NEXT RUN'],
  [45, 'ENTITY DOCUMENTS PUBLISHED LAST RUN'],
  [34, 'ENTITY PUBLISHED LAST RUN'],
  [10, 'ENTITY PUBLISHED LAST RUN'],
])('leaves out columns that do not fit into %i columns', (columns, headings) => {
  const change = {
    timezone: 'Europe/Lisbon',
    snapshot: { documents: 1200, publishedAt: new Date(0).toISOString() },
  }
  const text = statusText([{ ...idle, ...change } as unknown as Entity], { now: day, columns })
  expect(text.split('\n')[0]?.replaceAll(/ {2,}/g, ' ')).toBe(headings)
})

it('leaves out entities that are fine if the terminal is too low for all of them', () => {
  const names = Array.from({ length: 40 }, (_, index) => `E${index + 1}`)
  const entities = names.map((entity) => ({ ...entityWith({}), entity, running: null })) as Entity[]
  const shown = { now: 0, columns: undefined, urgent: new Set(['E7', 'E39']) }
  const rowsOf = (rows: number) => statusText(entities, { ...shown, rows }).split('\n')
  expect(rowsOf(60)).toHaveLength(41)
  const lines = rowsOf(20)
  expect(lines.slice(1, -1).map((line) => line.split(' ')[0])).toEqual(
    'E1 E2 E3 E4 E5 E6 E7 E8 E39 '.split(' '),
  )
  expect(lines.at(-1)).toBe(
    '31 more entities have no problem. All are listed if the output is not a terminal.',
  )
})

describe('long reasons of runs are cut to a line of the terminal', () => {
  const reason = `The platform responded with 500: ${'too long '.repeat(30)}`
  const cut = `${reason.slice(0, 77)}…`

  it('in what needs attention, where what follows them stays', () => {
    const facts = factsOf({ runs: [runOf('failed', 1, { reason }), runOf('failed', 2)] })
    const evidence = (columns: number | undefined) =>
      entityProblems(shortReasons(columns).ofFacts(facts))[0]?.evidence
    const text = (shown: string) =>
      `At least the last 2 runs of CL failed: ${shown} The snapshot was published 2026-11-21 07:00 UTC.`
    expect(evidence(undefined)).toBe(text(reason))
    expect(evidence(80)).toBe(text(cut))
  })

  it('of increments, of the last run and of the one that is running', () => {
    const last = { runId: 'i', status: 'failed', reason, endedAt: '' } as const
    const facts = factsOf({ state: { increments: { last, records: {} } } })
    const short = shortReasons(80)
    expect(short.ofFacts(facts).state.increments?.last.reason).toBe(cut)
    const view = { ...entityWith({ reason } as never), runs: [{ ...run, reason }], increments: { last } }
    expect(short.ofView(view as never)).toMatchObject({
      running: { reason: cut },
      runs: [{ reason: cut }],
      increments: { last: { reason: cut } },
    })
  })
})
