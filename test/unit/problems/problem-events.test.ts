import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../functions/problems/problem.ts'
import { type OpenProblem, opened, problemEvents } from '../../../functions/problems/problem-events.ts'

const at = '2026-03-01T06:00:00.000Z'
const problem = (change: Partial<Problem> = {}): Problem => ({
  kind: 'run-failed',
  level: 'problem',
  entity: 'CL',
  since: '2026-03-01T05:00:00.000Z',
  evidence: 'Why.',
  action: 'Act.',
  ...change,
})
const open = (change: Partial<OpenProblem> = {}) =>
  ({ ...problem(change), id: 'id', ...change }) as OpenProblem

const lastLook = (...problems: OpenProblem[]) => ({ problems })

describe('a problem that a look found', () => {
  it('has an id of its own, and begins with the look if nothing shows when it began', () => {
    expect(opened(problem({ since: null }), lastLook(), at)).toMatchObject({
      since: at,
      id: `run-failed/CL/${at}`,
    })
  })

  it('keeps its id, and its beginning, as long as it stays open', () => {
    const before = lastLook(open({ since: '2026-03-01T04:00:00.000Z' }))
    expect(opened(problem({ since: null, evidence: 'More.' }), before, at)).toMatchObject({
      id: 'id',
      since: '2026-03-01T04:00:00.000Z',
      evidence: 'More.',
    })
  })

  it('is stored as other programs see it', () => {
    const step = { kind: 'logs', runId: 'r' } as const
    expect(opened({ ...problem(), step }, lastLook(), at)).not.toHaveProperty('step')
  })

  it.each([
    ['another entity', { entity: 'AD' }],
    ['another kind', { kind: 'stale' }],
  ])('is not that of %s', (_, change) => {
    expect(opened(problem(change), lastLook(open()), at).id).not.toBe('id')
  })
})

it.each<[what: string, before: OpenProblem[], after: OpenProblem[], types: string[]]>([
  ['opens a new problem', [], [open()], ['Problem Opened']],
  ['resolves one that is gone', [open()], [], ['Problem Resolved']],
  ['is not sent for one that stays', [open()], [open({ evidence: 'More.' })], []],
  ['opens a note that becomes a problem again', [open({ level: 'note' })], [open()], ['Problem Opened']],
  ['is not sent for a problem that becomes a note', [open()], [open({ level: 'note' })], []],
  ['tells ids apart', [open()], [open({ id: 'next' })], ['Problem Resolved', 'Problem Opened']],
])('an event %s', (...[, before, after, types]) => {
  expect(problemEvents(before, after).map(({ type }) => type)).toEqual(types)
})
