import { expect, it } from 'vitest'
import { linesText } from '../../../../cli/logs/log-text.ts'
import { phasesText } from '../../../../cli/sync/run-table.ts'
import { lineText } from '../../../../operator/sync/line.ts'
import { logLine } from '../../../log-line.ts'

it.each<[name: string, members: object, text: string | undefined]>([
  ['without more members', {}, '02:54:03.038 INFO  run ended'],
  [
    'with its members',
    { status: 'published', pages: 10 },
    '02:54:03.038 INFO  run ended  status=published  pages=10',
  ],
  ['with white space', { reason: 'No slot.' }, '02:54:03.038 INFO  run ended  reason="No slot."'],
  ['with a quote', { reason: '"a' }, '02:54:03.038 INFO  run ended  reason="\\"a"'],
  ['with an empty member', { reason: '' }, '02:54:03.038 INFO  run ended'],
  ['with metrics', { _aws: {}, Service: 'x', pages: 1 }, '02:54:03.038 INFO  run ended  pages=1'],
  ['with metrics alone', { _aws: {}, Service: 'x' }, undefined],
  ['of another level', { level: 'ERROR' }, '02:54:03.038 ERROR run ended'],
])('a log line %s is shown as one line', (_, members, text) => expect(lineText(logLine(members))).toBe(text))

it.each([
  [[logLine(), logLine({ _aws: {} })], 'Run r:\n02:54:03.038 INFO  run ended'],
  [[logLine({ _aws: {} })], 'Run r has no log lines.'],
  [[], 'Run r has no log lines.'],
])('shows the lines below their run, or that there is none', (lines, text) => {
  expect(linesText('Run r', lines)).toBe(text)
})

it.each([
  ['done', 5_000, 'Scroll 5 s'],
  ['done', null, 'Scroll'],
  ['done', 200, 'Scroll < 1 s'],
  ['now', 65_000, 'Scroll in progress for 1 min 5 s'],
  ['stopped', 5_000, 'Scroll stopped after 5 s'],
  ['refused', null, 'Scroll refused'],
] as const)('shows a phase that is %s with its duration: %j', (state, durationMs, text) => {
  const phase = { name: 'Scroll', state, from: '', durationMs, detail: '', checks: [] }
  expect(phasesText({ phases: [phase, phase] })).toBe(`Phases: ${text}, ${text}`)
})
