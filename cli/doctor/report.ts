import { withoutStep } from '../../functions/problems/problem.ts'
import { grouped } from '../../functions/problems/problems.ts'
import { plural } from '../../functions/runtime/format.ts'
import type { Finding, Inspection } from '../../operator/doctor/finding.ts'
import { bold, dim, green, red, yellow } from '../../operator/text/colors.ts'
import type { CommandResult } from '../shell/command.ts'
import { notesText, problemsText } from './problems-text.ts'

const marks = { ok: () => green('✓'), note: () => yellow('-'), unknown: () => red('?') }

/** What is all right and what could not be looked at, then what `status` shows. Notes do not count for the exit code. */
export function reportOf(
  { problems, findings, now }: Inspection,
  command: (args: string) => string,
): CommandResult {
  const count = grouped(problems).filter(({ level }) => level === 'problem').length
  const unknown = findings.filter(({ level }) => level === 'unknown').length
  const summary = [
    count === 0 ? 'No problems found.' : `${plural(count, 'problem')}.`,
    ...(unknown > 0 ? [`${plural(unknown, 'check')} could not be made.`] : []),
  ].join(' ')
  const notes = notesText(problems, { now, command })
  const ok = count === 0
  return {
    ok,
    isIncomplete: unknown > 0,
    text: [
      findings.flatMap(findingLines).join('\n'),
      ...(notes ? [notes] : []),
      ...(ok ? [] : [problemsText(problems, { now, command })]),
      bold(summary),
    ].join('\n\n'),
    data: { ok, problems: problems.map(withoutStep), findings },
  }
}

const findingLines = ({ level, text, fix }: Finding) => [
  `${marks[level]()} ${text}`,
  ...(fix ? [dim(`  → ${fix}`)] : []),
]
