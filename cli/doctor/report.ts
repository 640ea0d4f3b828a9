import { type Problem, withoutStep } from '../../functions/problems/problem.ts'
import { grouped } from '../../functions/problems/problems.ts'
import { attentionTitle, formatSince, plural } from '../../functions/runtime/format.ts'
import type { Finding, Inspection } from '../../operator/doctor/finding.ts'
import { bold, dim, green, red, yellow } from '../../operator/text/colors.ts'
import type { CommandResult } from '../shell/command.ts'

const marks = {
  ok: () => green('✓'),
  problem: () => red('✗'),
  note: () => yellow('-'),
  unknown: () => red('?'),
}

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

interface Shown {
  readonly now: number
  /** A command line for this deployment. */
  readonly command: (args: string) => string
}

/** What needs a person, or that nothing does. Notes follow it. */
export function problemsText(problems: readonly Problem[], shown: Shown): string {
  const all = grouped(problems)
  const list = all.filter(({ level }) => level === 'problem')
  const title = attentionTitle(list.length, all.length - list.length)
  if (list.length === 0) return `${green('✓')} ${title}`
  return [bold(title), ...list.flatMap((one) => linesOf(one, shown))].join('\n')
}

/** What a person may want to know; empty if there is nothing. */
export const notesText = (problems: readonly Problem[], shown: Shown): string =>
  grouped(problems.filter(({ level }) => level === 'note'))
    .flatMap((one) => linesOf(one, shown))
    .join('\n')

function linesOf(
  { level, since, evidence, action, command: args }: ReturnType<typeof grouped>[number],
  { now, command }: Shown,
): string[] {
  const age = since === null ? '' : `${formatSince(since, now)} `
  const run = args === undefined ? [] : [`  → ${command(args)}`]
  return [`${marks[level]()} ${evidence}`, dim(`  ${age}${action}`), ...run]
}
