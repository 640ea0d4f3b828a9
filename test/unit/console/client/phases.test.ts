import { describe, expect, it } from 'vitest'
import { checkTones } from '../../../../console/client/model/end-phases.ts'
import { phasesOf, phaseTones, speedPlot } from '../../../../console/client/model/phases.ts'
import type { LogRow, Milestones, RunResponse, SpeedResponse } from '../../../../console/contract/run.ts'

const at = (seconds: number) =>
  new Date(Date.parse('2026-11-21T12:00:00.000Z') + seconds * 1000).toISOString()

const proof = { proof: 'exact', uniqueIds: 95, total: 95 }
const guards: NonNullable<Milestones['guards']> = {
  uniqueIds: 95,
  publishedIds: 100,
  maxShrinkPercent: 30,
  allowEmpty: false,
  acceptShrink: false,
  refusedBy: null,
  acceptedBy: null,
}
const milestones: Milestones = {
  attemptStartedAt: at(0),
  provenAt: at(17),
  proof,
  guards,
  republishedFrom: null,
}
const ofVersion1 = { provenAt: null, guards: null }

interface Change {
  readonly run?: object
  readonly milestones?: Partial<Milestones>
  readonly comparison?: RunResponse['comparison']
}

const response = ({ run, milestones: changed, comparison = { kind: 'none' } }: Change = {}) =>
  ({
    run: {
      status: 'published',
      startedAt: at(0),
      endedAt: at(20),
      refusedAt: null,
      pages: 10,
      attempt: 1,
      partitions: null,
      partitionsReason: null,
      reason: null,
      ...run,
    },
    milestones: { ...milestones, ...changed },
    comparison,
    now: at(60),
  }) as RunResponse
const speed: SpeedResponse = { firstPageAt: at(5), lastPageAt: at(15), hasScrolled: true, speed: [] }
const scrolling = { ...speed, hasScrolled: false }
const noPages = { ...scrolling, firstPageAt: null, lastPageAt: null }
const active = { endedAt: null }
const beforeProof = { provenAt: null, proof: null, guards: null }
const line = (seconds: number, reason: string | null, more: Partial<LogRow> = {}) =>
  ({ timestamp: at(seconds), reason, message: 'scroll waiting', waitSeconds: null, ...more }) as LogRow
const slotWait = (seconds: number, waitSeconds: number) =>
  line(seconds, 'All taken.', { message: 'slot waiting', waitSeconds })
const compared = line(30, null, { message: 'comparison ended' })
const pending = { kind: 'pending' } as const
const set = { kind: 'changes', created: 1, updated: 2, deleted: 3 } as never

const beginning = [
  ['First page', 'done', '5 s', ''],
  ['Scroll', 'done', '10 s', '10 pages, 1 pages/s'],
]
const provenText = 'exact: 95 unique ids, reported total 95'
const proven = ['Proof', 'done', '2 s', provenText]
const passed = ['Guards', 'done', '', '']
const refused = ['Guards', 'refused', '', '']
const publication = ['Publication', 'done', '3 s', '']
const afterFirstPage = [...beginning.slice(1), proven, passed, publication]
const acceptedByAda = { guards: { ...guards, refusedBy: 'x', acceptedBy: 'Ada' } }

describe('the phases of a run', () => {
  it.each<[string, Change, string[][], (SpeedResponse | 'not known')?, LogRow[]?]>([
    [
      'that was published and compared',
      { comparison: { kind: 'published', set } },
      [...beginning, proven, passed, publication, ['Comparison', 'done', '10 s', '+1 ~2 −3']],
    ],
    [
      'that a guard refused',
      { run: { status: 'refused', reason: 'Why.' }, milestones: { guards: { ...guards, refusedBy: 'x' } } },
      [...beginning, proven, refused],
    ],
    [
      'that a person accepted',
      { run: { refusedAt: at(18), endedAt: at(58) }, milestones: acceptedByAda },
      [...beginning, proven, refused, ['Decision and publication', 'done', '40 s', 'accepted by Ada']],
    ],
    [
      'that a person has just accepted',
      { run: { ...active, status: 'publishing' }, milestones: acceptedByAda },
      [...beginning, proven, refused, ['Decision and publication', 'now', '43 s', 'accepted by Ada']],
    ],
    [
      'that failed after the guards',
      { run: { status: 'failed', reason: 'A newer run.' } },
      [...beginning, proven, passed, ['Publication', 'stopped', '3 s', '']],
    ],
    [
      'of 1.0.0 that was published',
      { milestones: ofVersion1 },
      [...beginning, ['Proof, guards and publication', 'done', '5 s', provenText]],
    ],
    [
      'of 1.0.0 that was refused',
      { run: { status: 'refused', reason: 'Why.' }, milestones: { ...ofVersion1, proof: null } },
      [...beginning, ['Proof, guards and publication', 'refused', '5 s', '']],
    ],
    [
      'that failed while it scrolled',
      { run: { status: 'failed', reason: 'Why.' }, milestones: beforeProof },
      [
        ['First page', 'done', '5 s', ''],
        ['Scroll', 'stopped', '15 s', '10 pages, 1 pages/s'],
      ],
      scrolling,
    ],
    [
      'that was not proven',
      { run: { status: 'failed', reason: 'The count differs.' }, milestones: beforeProof },
      [...beginning, ['Proof', 'stopped', '5 s', '']],
    ],
    [
      'that is scrolling',
      { run: { ...active, status: 'running' }, milestones: beforeProof },
      [
        ['First page', 'done', '5 s', ''],
        ['Scroll', 'now', '55 s', '10 pages, 1 pages/s'],
      ],
      scrolling,
    ],
    [
      'that is being proven',
      { run: { ...active, status: 'running' }, milestones: beforeProof },
      [...beginning, ['Proof', 'now', '45 s', '']],
    ],
    [
      'that is publishing',
      { run: { ...active, status: 'publishing' }, milestones: { guards: null } },
      [...beginning, proven, ['Guards and publication', 'now', '43 s', '']],
    ],
    [
      'that waits for a slot',
      { run: { ...active, status: 'waiting', pages: 0 }, milestones: beforeProof },
      [['Waiting for a slot', 'now', '1 min', '']],
      noPages,
      [slotWait(1, 15), slotWait(45, 15)],
    ],
    [
      'that waited for a slot, and later for another one',
      {},
      [['Waiting for a slot', 'done', '4 s', ''], ['First page', 'done', '1 s', ''], ...afterFirstPage],
      speed,
      [slotWait(0, 1), slotWait(3, 1), slotWait(300, 15)],
    ],
    [
      'that was scrolled again',
      { run: { attempt: 3 }, milestones: { attemptStartedAt: at(4) } },
      [
        ['Earlier attempts', 'done', '4 s', '2 attempts'],
        ['First page', 'done', '1 s', ''],
        ...afterFirstPage,
      ],
    ],
    [
      'in ranges',
      { run: { partitions: [{}, {}] }, milestones: { ...beforeProof, attemptStartedAt: at(2) } },
      [
        ['Planning ranges', 'done', '2 s', '2 ranges'],
        ['Scroll', 'done', '18 s', '10 pages'],
      ],
      'not known',
    ],
    [
      'whose ranges were given up',
      {
        run: { ...active, status: 'running', pages: 0, partitionsReason: 'No dates.' },
        milestones: { ...beforeProof, attemptStartedAt: at(2) },
      },
      [
        ['Ranges (abandoned)', 'done', '2 s', 'No dates.'],
        ['First page', 'now', '58 s', ''],
      ],
      noPages,
    ],
    [
      'that published a kept snapshot again',
      { run: { pages: 10 }, milestones: { republishedFrom: 'r' } },
      [['Copy', 'done', '17 s', 'of run r'], ['Proof', 'done', '', provenText], passed, publication],
      { ...noPages, speed: [] },
    ],
    [
      'whose pages are not known',
      { comparison: { kind: 'missing' } },
      [
        ['Scroll', 'done', '17 s', '10 pages'],
        ['Proof', 'done', '', provenText],
        passed,
        publication,
        ['Comparison', 'done', '10 s', 'none'],
      ],
      'not known',
    ],
  ])('%s', (...[, change, expected, times = speed, lines = []]) => {
    const known = times === 'not known' ? undefined : times
    const phases = phasesOf({ response: response(change), speed: known, lines: [...lines, compared] })
    const shown = phases.map(({ name, state, duration, detail }) => [name, state, duration, detail])
    expect(shown).toEqual(expected)
  })

  it.each<[string, RunResponse['comparison'], LogRow[], object]>([
    ['the comparison has ended', pending, [compared, line(40, null)], { state: 'done', duration: '10 s' }],
    ['it has not', pending, [], { state: 'now', duration: '40 s', detail: 'comparison in progress' }],
    [
      'its guard refused the set',
      { kind: 'refused', refusedAt: at(25) },
      [line(25, 'comparison ended: Deletes 50 of 95.', { message: 'comparison ended' })],
      { state: 'refused', duration: '5 s', detail: '', events: [] },
    ],
    ['it failed', { kind: 'missing' }, [{ ...compared, level: 'WARN' }], { state: 'stopped' }],
    ['its log is gone', { kind: 'published', set }, [], { state: 'done', duration: '' }],
  ])('end with the comparison: %s', (...[, comparison, lines, last]) => {
    expect(phasesOf({ response: response({ comparison }), speed, lines }).at(-1)).toMatchObject(last)
  })

  it('have the waits and faults that happened in them', () => {
    const lines = [line(-1, 'early'), line(5, 'first'), line(14, null), line(15, 'late'), line(99, 'last')]
    const phases = phasesOf({ response: response(), speed, lines })
    const reasons = phases.map(({ events }) => events.map(({ reason }) => reason).join())
    expect(reasons).toEqual(['early', 'first', 'late', '', 'last'])
  })
})

describe('the guards of a run', () => {
  const checksFor = (change: Partial<typeof guards>) =>
    phasesOf({ response: response({ milestones: { guards: { ...guards, ...change } } }), speed, lines: [] })
      .flatMap(({ checks }) => checks)
      .map(({ name, state, detail }) => `${name}, ${state}: ${detail}`)

  it.each<[Partial<typeof guards>, string[]]>([
    [{}, ['Documents, passed: 95', 'Shrink, passed: 100 before, 95 after (5.0% fewer), limit 30%']],
    [{ publishedIds: 90 }, ['Documents, passed: 95', 'Shrink, passed: 90 before, 95 after, limit 30%']],
    [{ publishedIds: null }, ['Documents, passed: 95', 'Shrink, passed: nothing was published before']],
    [
      { uniqueIds: 20, refusedBy: 'maxShrinkPercent' },
      ['Documents, passed: 20', 'Shrink, refused: 100 before, 20 after (80.0% fewer), limit 30%'],
    ],
    [
      { uniqueIds: 0, refusedBy: 'allowEmpty' },
      ['Documents, refused: 0', 'Shrink, not reached: 100 before, 0 after (100.0% fewer), limit 30%'],
    ],
    [
      { uniqueIds: 0, allowEmpty: true, acceptShrink: true },
      [
        'Documents, passed: none, which allowEmpty allows',
        'Shrink, passed: 100 before, 0 after (100.0% fewer), no limit: started with “accept shrink”',
      ],
    ],
    [
      { refusedBy: 'minDocuments' },
      [
        'Documents, passed: 95',
        'Shrink, passed: 100 before, 95 after (5.0% fewer), limit 30%',
        'minDocuments, refused: ',
      ],
    ],
  ])('show what they compared: %j', (change, checks) => {
    expect(checksFor(change)).toEqual(checks)
  })
})

it('plots the pages per second of a run with more than one period', () => {
  const point = (seconds: number) => ({ at: at(seconds), pagesPerSecond: seconds })
  expect(speedPlot(undefined)).toBeUndefined()
  expect(speedPlot({ ...speed, speed: [point(1)] })).toBeUndefined()
  expect(speedPlot({ ...speed, speed: [point(1), point(2)] })).toEqual({
    title: 'Pages per second',
    shape: 'lines',
    unit: 'rate',
    axis: 'from-zero',
    times: [Date.parse(at(1)) / 1000, Date.parse(at(2)) / 1000],
    series: [{ label: 'Pages', color: '--accent', values: [1, 2] }],
    marks: [],
    reference: undefined,
  })
})

it('colors phases and guards by their state', () => {
  expect(phaseTones).toEqual({ done: 'good', now: 'active', stopped: 'warning', refused: 'problem' })
  expect(checkTones).toEqual({ passed: 'good', refused: 'problem', 'not reached': 'neutral' })
})
