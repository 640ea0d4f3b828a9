import { styleText } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reportOf } from '../../../../cli/doctor/report.ts'
import { note, ok, problem } from '../../../../operator/doctor/finding.ts'

const findings = {
  ok: ok('drift', 'It matches.'),
  note: note('schedules', 'Nothing is scheduled.'),
  problem: problem('deployment', 'Not deployed.', 'npm run deploy'),
}

describe('the report of the doctor', () => {
  it.each<[levels: (keyof typeof findings)[], isOk: boolean, summary: string]>([
    [[], true, 'No problems found.'],
    [['ok', 'note'], true, 'No problems found.'],
    [['ok', 'problem'], false, '1 problem.'],
    [['problem', 'note', 'problem'], false, '2 problems.'],
  ])('of %j counts the problems, which determine the exit code', (levels, isOk, summary) => {
    const list = levels.map((level) => findings[level])
    const { ok, text, data } = reportOf(list)
    expect([ok, text.split('\n').slice(-2), data]).toEqual([
      isOk,
      ['', summary],
      { ok: isOk, findings: list },
    ])
  })

  it('shows each finding in order, with its fix on the next line', () => {
    const { text } = reportOf([findings.problem, findings.ok, { ...findings.note, fix: 'do it' }])
    expect(text.split('\n').slice(0, -2)).toEqual([
      '✗ Not deployed.',
      '  → npm run deploy',
      '✓ It matches.',
      '- Nothing is scheduled.',
      '  → do it',
    ])
  })

  describe('in a terminal with colors', () => {
    beforeEach(() => {
      process.env['FORCE_COLOR'] = '1'
    })
    afterEach(() => {
      delete process.env['FORCE_COLOR']
    })

    it.each([
      ['ok', 'green', '✓'],
      ['note', 'yellow', '-'],
      ['problem', 'red', '✗'],
    ] as const)('marks %s in %s', (level, color, mark) => {
      const [line] = reportOf([findings[level]]).text.split('\n')
      expect(line).toBe(`${styleText(color, mark, { validateStream: false })} ${findings[level].text}`)
    })
  })
})
