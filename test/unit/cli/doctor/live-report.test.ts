import { expect, it } from 'vitest'
import { liveReport } from '../../../../cli/doctor/live-report.ts'
import { version } from '../../../../functions/runtime/version.ts'
import type { LiveCheck } from '../../../../operator/live/live-check.ts'

const one = (outcome: LiveCheck['outcome']): LiveCheck => ({
  name: 'a schedule fires',
  asked: 'CreateSchedule',
  expected: 'an execution',
  response: 'the response',
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

it('prints what was asked and expected and what the response was, ready for an issue', () => {
  expect(report('as-expected', 'different', 'not-supported', 'as-expected').text).toBe(
    [
      `longshore ${version} doctor --live, eu-west-1, 2026-03-01T12:00:00.000Z`,
      ...[
        ['✓', 'the response'],
        ['✗', 'the response'],
        ['-', 'not supported here: the response'],
        ['✓', 'the response'],
      ].map(([mark, response]) =>
        [
          `${mark} a schedule fires`,
          '  asked     CreateSchedule',
          '  expected  an execution',
          `  response  ${response}`,
        ].join('\n'),
      ),
      '2 as expected, 1 different, 1 not supported here.',
      'Please report this in an issue, with everything above.',
    ].join('\n\n'),
  )
})
