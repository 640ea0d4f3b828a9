import { expect, it } from 'vitest'
import { problemsTitle, problemTone, runLink } from '../../../../console/client/model/problem-texts.ts'
import { refusalTitles, shareText, shownSample } from '../../../../console/client/model/refusal-texts.ts'
import { reviewPath } from '../../../../console/client/model/review-path.ts'
import { commonValueText } from '../../../../operator/text/review.ts'

it('shows what a guard refused, and how much needs attention', () => {
  expect(refusalTitles).toEqual({
    snapshot: 'A guard refused to publish this snapshot.',
    changes: 'The snapshot is published. A guard refused its change set.',
  })
  const row = {
    kind: 'stale',
    level: 'problem',
    entities: ['CL'],
    since: null,
    evidence: '',
    action: '',
    command: null,
    step: null,
  } as const
  const note = { ...row, level: 'note' } as const
  expect([[], [note], [note, note], [row, row, note]].map(problemsTitle)).toEqual([
    'Nothing needs attention.',
    'No problem, 1 note',
    'No problem, 2 notes',
    'Needs attention: 2 problems',
  ])
  expect([row, note].map(problemTone)).toEqual(['problem', 'warning'])
})

it.each([
  [['CL'], { kind: 'review', runId: 'r' }, { href: '#/entities/CL/runs/r', text: 'Review' }],
  [['CL'], { kind: 'logs', runId: 'r' }, { href: '#/entities/CL/runs/r', text: 'See the run' }],
  [['CL'], { kind: 'sync', entity: 'CL' }, undefined],
  [['CL', 'AD'], { kind: 'logs', runId: 'r' }, undefined],
  [['CL'], null, undefined],
] as const)('links from a problem of %j with the step %j to its run', (entities, step, link) => {
  expect(runLink({ entities, step })).toEqual(link)
})

it.each([
  [0, 3, '0%'],
  [1, 3, '33%'],
  [2, 3, '67%'],
  [3, 3, '100%'],
])('%i of %i documents are %s', (missing, before, text) => expect(shareText({ missing, before })).toBe(text))

it.each([
  [100, '100% of the 100 documents that are missing have country "BR".'],
  [90, '90% of the 100 documents that are missing have country "BR".'],
  [89, undefined],
])('names a value that %i of 100 missing documents have in common', (missing, text) => {
  const values = [{ value: '"BR"', missing }]
  expect(commonValueText({ missing: 100, fields: [{ field: 'country', values }] })).toBe(text)
  expect(
    commonValueText({ missing: 0, fields: [{ field: 'country', values: [{ value: 'x', missing: 0 }] }] }),
  ).toBe(undefined)
})

it('cuts off long documents', () => {
  const [short, long] = ['x'.repeat(200), 'y'.repeat(201)]
  expect(shownSample([short, long])).toEqual([short, `${'y'.repeat(199)}…`])
})

it('reads a review for each of the two guards that can refuse what a run brings', () => {
  const paths = (['snapshot', 'changes'] as const).map((guard) => reviewPath('CL', 'r1', guard))
  expect(paths.map((path) => path.replace(/\?.*/, ''))).toEqual(Array(2).fill('/entities/CL/runs/r1/review'))
  expect(new Set(paths).size).toBe(2)
})
