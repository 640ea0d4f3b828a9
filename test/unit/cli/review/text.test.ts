import { expect, it } from 'vitest'
import { reviewText } from '../../../../cli/review/review-text.ts'
import type { ReviewedRefusal, ShownReview } from '../../../../operator/review/review.ts'

const refusal = { guard: 'snapshot', entity: 'CL', runId: 'r2', reason: 'It lost 60%.' } as ReviewedRefusal
const review: ShownReview = {
  before: 2700,
  after: 1080,
  missing: 1620,
  created: 0,
  months: [],
  fields: [],
  sample: [],
}
const textOf = (
  change: Partial<ShownReview> = {},
  { guard = 'snapshot', columns }: { guard?: ReviewedRefusal['guard']; columns?: number } = {},
) => reviewText({ ...refusal, guard }, { ...review, ...change }, { accept: 'longshore accept r2', columns })

it('shows what was refused, what it takes away and the command that publishes it', () => {
  expect(textOf()).toBe(`The snapshot of run r2 of CL was refused: It lost 60%.

BEFORE  AFTER  MISSING  NEW
2,700   1,080  1,620    0

To publish exactly this: longshore accept r2`)
})

it('names a change set', () =>
  expect(textOf({}, { guard: 'changes' })).toMatch(/^The change set of run r2 of CL was refused: /))

it('shows how the missing documents are distributed, and some of them', () => {
  const text = textOf({
    months: [
      { value: '2026-01', before: 2000, missing: 10 },
      { value: '2026-02', before: 700, missing: 700 },
    ],
    fields: [{ field: 'country', values: [{ value: '"BRA"', before: 2000, missing: 1500 }] }],
    sample: ['{"id":"a"}', '{"id":"b"}'],
  })
  expect(text.split('\n\n').slice(1, -1)).toEqual([
    '92% of the 1,620 documents that are missing have country "BRA".',
    'BEFORE  AFTER  MISSING  NEW\n2,700   1,080  1,620    0',
    'country  MISSING  OF     SHARE\n"BRA"    1,500    2,000  75%',
    'MONTH OF createdIn  MISSING  OF     SHARE\n2026-01             10       2,000  1%\n2026-02             700      700    100%   ██████████',
    'Some of the 1,620 documents that are missing:\n  {"id":"a"}\n  {"id":"b"}',
  ])
})

it('shows the last 24 months', () => {
  const months = Array.from({ length: 25 }, (_, index) => ({ value: `m${index}`, before: 1, missing: 0 }))
  const [, , table = ''] = textOf({ months }).split('\n\n')
  expect(table.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'MONTH',
    ...months.slice(1).map(({ value }) => value),
  ])
})

it.each([
  [400, 'x'.repeat(400)],
  [401, `${'x'.repeat(399)}…`],
])('shows a missing document of %i characters in one line', (length, shown) => {
  expect(textOf({ sample: ['x'.repeat(length)] })).toContain(`that are missing:\n  ${shown}\n`)
})

it('breaks a missing document between its members on a terminal, and shortens long values', () => {
  const sample = [`{"id":"a","name":"Ana","note":"${'x'.repeat(80)}","city":"Lisbon"}`]
  const fields = [{ field: 'note', values: [{ value: 'y'.repeat(80), before: 3, missing: 2 }] }]
  const lines = textOf({ sample, fields }, { columns: 60 }).split('\n')
  expect(Math.max(...lines.slice(2).map(({ length }) => length))).toBeLessThanOrEqual(60)
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^y{23}… +2 +3 +67%$/),
      '  {"id":"a","name":"Ana",',
      `    "note":"${'x'.repeat(47)}…`,
      '    "city":"Lisbon"}',
    ]),
  )
})
