import { describe, expect, it } from 'vitest'
import { checkTones, phaseFacts, phasesOf, phaseTones } from '../../../../console/client/model/phases.ts'
import type { LogRow, Phase, RunResponse } from '../../../../console/contract/run.ts'

const at = (seconds: number) =>
  new Date(Date.parse('2026-11-21T12:00:00.000Z') + seconds * 1000).toISOString()

const phase = (name: string, from: number): Phase => ({
  name,
  state: 'done',
  from: at(from),
  durationMs: 0,
  detail: '',
  checks: [],
})
const response = (comparison: RunResponse['comparison'], run: object = {}) =>
  ({
    run: { kind: 'full', status: 'published', startedAt: at(0), endedAt: at(20), ...run },
    phases: [phase('First page', 0), phase('Scroll', 5), phase('Proof', 15)],
    comparison,
    now: at(60),
  }) as unknown as RunResponse
const line = (seconds: number, reason: string | null, more: Partial<LogRow> = {}) =>
  ({ timestamp: at(seconds), reason, by: null, message: 'scroll waiting', level: 'INFO', ...more }) as LogRow
const compared = (seconds: number, level = 'INFO') =>
  line(seconds, level === 'WARN' ? 'comparison ended: Deletes 50 of 95.' : null, {
    message: 'comparison ended',
    level,
  })
const pending = { kind: 'pending' } as const
const set = { kind: 'changes', created: 1, updated: 2, deleted: 3 } as never

describe('the phases of a run', () => {
  const following = (comparison: RunResponse['comparison'], lines: LogRow[], run: object = {}) =>
    phasesOf(response(comparison, run), lines)
      .slice(3)
      .map((each) => [each.name, each.state, phaseFacts(each)])

  it.each<[string, RunResponse['comparison'], LogRow[], string[][]]>([
    ['it has ended', pending, [compared(30)], [['Comparison', 'done', '10 s · comparison in progress']]],
    ['it has not', pending, [], [['Comparison', 'now', '40 s · comparison in progress']]],
    ['it published', { kind: 'published', set }, [compared(30)], [['Comparison', 'done', '10 s · +1 ~2 −3']]],
    ['its log is gone', { kind: 'published', set }, [], [['Comparison', 'done', '+1 ~2 −3']]],
    ['its set is refused', { kind: 'refused', refusedAt: at(25) }, [], [['Comparison', 'refused', '5 s']]],
    [
      'its guard refused the set, and the log tells when',
      { kind: 'refused', refusedAt: at(50) },
      [compared(32, 'WARN')],
      [['Comparison', 'refused', '12 s']],
    ],
    ['it failed', { kind: 'missing' }, [compared(30, 'WARN')], [['Comparison', 'stopped', '10 s · none']]],
    [
      'a person accepted what its guard had refused',
      { kind: 'published', set },
      [compared(25, 'WARN'), { ...compared(94), by: 'Ana' }],
      [
        ['Comparison', 'refused', '5 s'],
        ['Waiting for a decision', 'done', '1 min 9 s · accepted by Ana, +1 ~2 −3'],
      ],
    ],
    [
      'a person accepted what its guard had refused, and the log does not have the second comparison yet',
      { kind: 'published', set },
      [compared(25, 'WARN')],
      [['Comparison', 'done', '5 s · +1 ~2 −3']],
    ],
    ['there is none', { kind: 'none' }, [compared(30)], []],
  ])('end with the comparison: %s', (...[, comparison, lines, expected]) => {
    expect(following(comparison, lines)).toEqual(expected)
  })

  it('have no comparison for an increment', () =>
    expect(following({ kind: 'published', set }, [compared(30)], { kind: 'increment' })).toEqual([]))

  it('have the waits and faults that happened in them', () => {
    const lines = [line(-1, 'early'), line(5, 'first'), line(14, null), line(15, 'late'), line(99, 'last')]
    const reasons = phasesOf(response(pending), lines).map(({ events }) =>
      events.map(({ reason }) => reason).join(),
    )
    expect(reasons).toEqual(['early', 'first', 'late', 'last'])
  })

  it('do not repeat why a set was refused, which the review shows', () => {
    const phases = phasesOf(response({ kind: 'refused', refusedAt: at(25) }), [compared(25, 'WARN')])
    expect(phases.flatMap(({ events }) => events)).toEqual([])
  })
})

it('colors phases and guards by their state', () => {
  expect(phaseTones).toEqual({ done: 'good', now: 'active', stopped: 'warning', refused: 'problem' })
  expect(checkTones).toEqual({ passed: 'good', refused: 'problem', 'not reached': 'neutral' })
})
