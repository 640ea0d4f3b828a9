import { expect, it } from 'vitest'
import { liveReport } from '../../../../cli/doctor/live-report.ts'
import { version } from '../../../../functions/runtime/version.ts'
import type { LiveCheck } from '../../../../operator/live/live-check.ts'

const one = (outcome: LiveCheck['outcome']): LiveCheck => ({
  name: 'a schedule fires',
  asked: 'CreateSchedule',
  expected: 'an execution',
  answered: 'the answer',
  outcome,
})
const report = (...outcomes: LiveCheck['outcome'][]) =>
  liveReport(outcomes.map(one), 'eu-west-1', '2026-03-01T12:00:00.000Z')

it.each([
  [['as-expected', 'not-asked', 'not-supported'], true, false],
  [['as-expected', 'not-seen'], true, true],
  [['different', 'not-seen'], false, true],
] as const)('decides the exit code by %j', (outcomes, ok, isIncomplete) => {
  expect(report(...outcomes)).toMatchObject({ ok, isIncomplete })
})

it('prints what was asked, expected and answered, ready for an issue', () => {
  expect(report('as-expected', 'different', 'not-supported', 'as-expected').text).toBe(
    [
      `longshore ${version} doctor --live, eu-west-1, 2026-03-01T12:00:00.000Z`,
      ...[
        ['✓', 'the answer'],
        ['✗', 'the answer'],
        ['-', 'not supported here: the answer'],
        ['✓', 'the answer'],
      ].map(([mark, answered]) =>
        [
          `${mark} a schedule fires`,
          '  asked     CreateSchedule',
          '  expected  an execution',
          `  answered  ${answered}`,
        ].join('\n'),
      ),
      '2 as expected, 1 different, 1 not supported here.',
      'Please report this in an issue, with everything above.',
    ].join('\n\n'),
  )
})
