import { expect, it } from 'vitest'
import { reportOf } from '../../../../cli/doctor/report.ts'
import type { FoundProblem, Problem } from '../../../../functions/problems/problem.ts'
import type { Finding } from '../../../../operator/doctor/finding.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const findings = {
  ok: { level: 'ok', about: 'drift', text: 'It matches.' },
  note: { level: 'note', about: 'schedules', text: 'Nothing is scheduled.', fix: 'do it' },
  unknown: { level: 'unknown', about: 'entities', text: 'Cannot look.', fix: 'sign in' },
} as const satisfies Record<string, Finding>
const problem: Problem = {
  kind: 'stale',
  level: 'problem',
  entity: 'CL',
  since: '2026-03-01T10:00:00.000Z',
  evidence: 'It is old.',
  action: 'Sync it.',
  command: 'sync CL',
}
const note: Problem = { kind: 'drift', level: 'note', since: null, evidence: 'A note.', action: 'Nothing.' }
const report = (problems: readonly FoundProblem[], list: readonly Finding[]) =>
  reportOf({ problems, findings: list, now }, (args) => `longshore ${args}`)

it.each<[what: string, problems: Problem[], list: Finding[], result: object, summary: string]>([
  ['nothing', [], [], { ok: true, isIncomplete: false }, 'No problems found.'],
  ['notes', [note], [findings.ok, findings.note], { ok: true, isIncomplete: false }, 'No problems found.'],
  ['a problem', [problem], [findings.ok], { ok: false, isIncomplete: false }, '1 problem.'],
  [
    'the same problem of many entities as one',
    ['A', 'B', 'C', 'D'].map((entity) => ({ ...problem, entity })),
    [],
    { ok: false, isIncomplete: false },
    '1 problem.',
  ],
  [
    'what could not be looked at',
    [],
    [findings.unknown],
    { ok: true, isIncomplete: true },
    'No problems found. 1 check could not be made.',
  ],
])('decides the exit code by %s', (...[, problems, list, result, summary]) => {
  const step = { kind: 'sync', entity: 'CL' } as const
  const { text, data, ...exit } = report(
    problems.map((one) => ({ ...one, step })),
    list,
  )
  expect(exit).toEqual(result)
  expect(text.split('\n').at(-1)).toBe(summary)
  expect(data).toEqual({ ok: problems[0]?.level !== 'problem', problems, findings: list })
})

it('shows what is all right, then notes, then problems with since when, what to do and the command', () => {
  const { text } = report([problem, note], [findings.ok, findings.note, findings.unknown])
  expect(text).toBe(
    [
      '✓ It matches.',
      '- Nothing is scheduled.',
      '  → do it',
      '? Cannot look.',
      '  → sign in',
      '',
      '- A note.',
      '  Nothing.',
      '',
      'Needs attention: 1 problem',
      '✗ It is old.',
      '  Since 2026-03-01 10:00 UTC (2 h ago). Sync it.',
      '  → longshore sync CL',
      '',
      '1 problem. 1 check could not be made.',
    ].join('\n'),
  )
})
