import { expect, it } from 'vitest'
import type { IncrementAudit } from '../../../../functions/state/changes/changes.ts'
import type { IncrementsView } from '../../../../functions/sync-api/increments-view.ts'
import { type ChangeDates, changeDatesOf } from '../../../../operator/doctor/change-dates.ts'
import { incrementFindings } from '../../../../operator/doctor/increment-findings.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const last = { runId: 'r', status: 'published', reason: null, endedAt: minutesAgo(1) } as const
const view = (change: Partial<IncrementsView> = {}): IncrementsView => ({
  schedule: 'rate(5 minutes)',
  lookbackMinutes: 60,
  window: { from: minutesAgo(66), to: minutesAgo(4) },
  ageSeconds: 240,
  recordsLastDay: 1200,
  last,
  ...change,
})
const windowAt = (minutes: number) => ({ from: minutesAgo(minutes + 60), to: minutesAgo(minutes) })

/** When the published snapshot was published. */
const beforeTheLast = minutesAgo(30)
const afterTheLast = minutesAgo(0)

function linesOf(
  increments: IncrementsView,
  audit: IncrementAudit,
  {
    publishedAt = beforeTheLast,
    dates = undefined as ChangeDates | undefined,
    lostSnapshot = undefined as string | undefined,
  } = {},
): string[] {
  const fixes = { longshore: (words: string) => `longshore ${words}` }
  return incrementFindings([{ entity: 'CL', increments, publishedAt, audit, dates, lostSnapshot }], {
    now,
    fixes,
  }).map(({ level, text, fix }) => [level, text, ...(fix ? [fix] : [])].join(' | '))
}

const window = 'CL: the last increment window ended 4 min ago, 1,200 records in the last day.'
const failed = { ...last, status: 'failed', reason: 'The platform ignores the filter.' } as const
const skipped = { ...last, status: 'skipped', reason: 'Too many changes.' } as const

it.each<[name: string, increments: IncrementsView, audit: IncrementAudit, lines: string[]]>([
  ['is fine', view(), {}, [`ok | ${window}`]],
  [
    'has not begun',
    view({ window: null, last: null, recordsLastDay: 0 }),
    {},
    ['note | CL: no increment has succeeded yet.'],
  ],
  [
    'has failed',
    view({ last: failed }),
    {},
    [
      `problem | ${window} The last increment failed: The platform ignores the filter. | check whether the next one fails too (longshore sync CL --increment --watch); if the platform ignores or refuses the filter, remove increments of CL from the configuration`,
    ],
  ],
  [
    'was skipped',
    view({ last: skipped }),
    {},
    [`note | ${window} The last increment was skipped: Too many changes. | longshore sync CL --watch`],
  ],
  [
    'has an old window',
    view({ window: windowAt(30) }),
    {},
    [
      'problem | CL: the last increment window ended 30 min ago, 1,200 records in the last day. | longshore sync CL --increment --watch',
    ],
  ],
  [
    'has a window that is as old as it may be',
    view({ window: windowAt(29) }),
    {},
    ['ok | CL: the last increment window ended 29 min ago, 1,200 records in the last day.'],
  ],
  [
    'missed changes',
    view(),
    { missedByIncrements: 3, invisibleToIncrements: 0 },
    [
      `ok | ${window}`,
      'problem | CL: the last full sync found 3 changes that increments missed: lookbackMinutes (60) is shorter than the platform takes to index a change. | raise increments.lookbackMinutes of CL in the configuration and deploy, then run longshore sync CL --watch',
    ],
  ],
  [
    'cannot see changes',
    view(),
    { missedByIncrements: 0, invisibleToIncrements: 1 },
    [
      `ok | ${window}`,
      'note | CL: the last full sync found 1 change that no increment can see: the platform changed documents without updating updatedIn, or documents lack createdIn and updatedIn. | a longer lookback does not help: run full syncs of CL as often as readers need these changes',
    ],
  ],
])('an entity whose increment %s is reported so', (...[, increments, audit, lines]) => {
  expect(linesOf(increments, audit)).toEqual(lines)
})

it('a skipped increment needs a full sync until one has published', () => {
  const stale = view({ last: skipped, window: windowAt(40) })
  const fixAt = (publishedAt: string) => linesOf(stale, {}, { publishedAt })[0]?.split(' | ')[2]
  expect(fixAt(beforeTheLast)).toBe('longshore sync CL --watch')
  expect(fixAt(afterTheLast)).toBe('longshore sync CL --increment --watch')
  expect(linesOf(view({ last: skipped }), {}, { publishedAt: afterTheLast })).toEqual([`ok | ${window}`])
})

const created = { createdIn: '2026-11-01T10:00:00Z' }

it.each<[name: string, documents: object[], missing: string | undefined]>([
  ['with both fields', [{ ...created, updatedIn: null }], undefined],
  ['of which some lack a field', [{ ...created, updatedIn: null }, {}], undefined],
  ['without documents', [], undefined],
  [
    'without updatedIn',
    [created, created],
    'the last page of the published snapshot has 2 documents, but none has updatedIn,',
  ],
  [
    'without both fields',
    [{ id: 1, nested: created }],
    'the last page of the published snapshot has 1 document, but none has createdIn or updatedIn,',
  ],
  [
    'without a date',
    [{ createdIn: null, updatedIn: 12 }],
    'the last page of the published snapshot has 1 document, but none has a date in createdIn or updatedIn,',
  ],
])('an entity %s is reported so', (_, documents, missing) => {
  const lines = documents.map((one) => `${JSON.stringify(one)}\n`).join('')
  const dates = documents.length === 0 ? undefined : changeDatesOf(lines)
  const [, problem = 'none'] = linesOf(view(), {}, { dates })
  expect(problem).toMatch(missing === undefined ? /^none$/ : `problem | CL: ${missing} so increments`)
})

it('a chain whose snapshot is gone is reported so', () => {
  const [, lost] = linesOf(view(), {}, { lostSnapshot: 'R' })
  expect(lost).toBe(
    'problem | CL: new readers of its change sets cannot begin, because the snapshot that they would load (run R) is gone. | longshore sync CL --watch',
  )
})
