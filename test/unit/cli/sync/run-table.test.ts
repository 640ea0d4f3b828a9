import { expect, it } from 'vitest'
import { incrementsText, progressText, readLimit, runsText } from '../../../../cli/sync/run-table.ts'
import { UsageError } from '../../../../operator/errors.ts'

type ListedRun = Parameters<typeof runsText>[0][number]

const now = Date.parse('2026-11-21T13:00:00Z')
const run = (change: Partial<ListedRun>) =>
  ({
    runId: 'r1',
    status: 'published',
    startedAt: '2026-11-21T12:00:00.000Z',
    endedAt: '2026-11-21T12:03:00.000Z',
    documents: 1200,
    percent: 100,
    proof: 'exact',
    attempt: 1,
    reason: null,
    faults: {},
    story: { phases: [], events: [] },
    ...change,
  }) as ListedRun

it.each<[name: string, change: Partial<ListedRun>, cells: string]>([
  ['that ended', {}, 'r1 60 min ago 3 min published 1,200 exact 1'],
  [
    'in progress',
    { status: 'running', endedAt: null, percent: 42, proof: null, attempt: 2 },
    'r1 60 min ago 60 min running 42% 1,200 - 2',
  ],
  [
    'in progress whose total is unknown',
    { status: 'running', endedAt: null, percent: null, proof: null },
    'r1 60 min ago 60 min running 1,200 - 1',
  ],
])('shows a run %s in one row', (_, change, cells) => {
  const lines = runsText([run(change)], now).split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]?.split(/ +/)).toEqual([
    'RUN',
    'STARTED',
    'DURATION',
    'STATUS',
    'DOCUMENTS',
    'PROOF',
    'ATTEMPTS',
  ])
  expect(lines[1]?.replaceAll(/ +/g, ' ')).toBe(cells)
})

it('says how to fix what the last run failed for, if that is known', () => {
  const rejected = { status: 'failed', reason: 'Why.', documents: 0, faults: { 404: 1 } } as const
  const lines = runsText([run({ ...rejected, runId: 'r2' }), run({ ...rejected, entity: 'CL' })], now).split(
    '\n',
  )
  expect(lines.slice(4)).toEqual([
    'r2: Why.',
    expect.stringMatching(/^r2: Check the name and 'query'/),
    'r1: Why.',
  ])
})

it('gives the phases of every run that did something', () => {
  const phase = { from: '2026-11-21T12:00:00.000Z', detail: '', checks: [] }
  const phases = [
    { ...phase, name: 'First page', state: 'done', durationMs: 2_000 },
    { ...phase, name: 'Scroll', state: 'stopped', durationMs: 61_000 },
  ] as const
  const story = { phases, events: [] }
  const runs = [
    run({ runId: 'r2', status: 'failed', reason: 'Why.', story }),
    run({ runId: 'r1', status: 'skipped', reason: 'Paused.', story }),
  ]
  expect(runsText(runs, now).split('\n').slice(3)).toEqual([
    '',
    'r2: Why.',
    'r2: Phases: First page 2 s, Scroll stopped after 1 min 1 s',
    'r1: Paused.',
  ])
})

it('gives the reason of every run below the table, and its attempts, waits and faults', () => {
  const withEvents = (...texts: string[]) => ({
    phases: [],
    events: texts.map((text) => ({ level: 'info', text }) as const),
  })
  const runs = [
    run({ runId: 'r3' }),
    run({ runId: 'r2', status: 'failed', reason: 'Why.', story: withEvents('Scrolled without partitions.') }),
    run({ runId: 'r1', story: withEvents('Waited 2 min: All taken.', 'A worker crashed after page 7.') }),
  ]
  expect(runsText(runs, now).split('\n').slice(4)).toEqual([
    '',
    'r2: Why.',
    'r2: Scrolled without partitions.',
    'r1: Waited 2 min: All taken.',
    'r1: A worker crashed after page 7.',
  ])
})

it('names the period if there is no run', () =>
  expect(runsText([], now)).toBe('No runs in the last 30 days.'))

it.each([
  ['running', 0, 'running 0%'],
  ['running', 42, 'running 42%'],
  ['waiting', null, 'waiting'],
] as const)('shows the progress of a run that is %s at %j percent', (status, percent, text) => {
  expect(progressText({ status, percent })).toBe(text)
})

it.each(['1', '10', '1000'])('accepts --limit %s', (text) => expect(readLimit(text)).toBe(Number(text)))

it.each(['0', '1001', '-1', '1.5', '1e2', '', 'ten', ' 5', '5 '])('refuses --limit %j', (text) => {
  expect(() => readLimit(text)).toThrow(
    new UsageError(`Invalid value '${text}' for --limit. Use a whole number from 1 to 1000.`),
  )
})

it('shows what increments delivered, and why others delivered nothing', () => {
  const increments = [
    run({
      runId: 'i3',
      increment: {
        from: '2026-11-21T11:00:00Z',
        to: '2026-11-21T12:00:00Z',
        records: 1_234,
        older: 0,
        withoutId: 0,
      },
    }),
    run({ runId: 'i2', status: 'skipped', proof: null, increment: null, reason: 'Too many changes.' }),
  ]
  const lines = incrementsText(increments, now).split('\n')
  expect(lines.map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
    'RUN STARTED STATUS RECORDS PROOF FROM TO',
    'i3 60 min ago published 1,234 exact 2026-11-21T11:00:00Z 2026-11-21T12:00:00Z',
    'i2 60 min ago skipped - - - -',
    '',
    'i2: Too many changes.',
  ])
  expect(incrementsText([], now)).toMatch(/^No increment/)
})
