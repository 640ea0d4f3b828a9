import type { Problem } from '../../functions/problems/problem.ts'
import { grouped } from '../../functions/problems/problems.ts'
import { attentionTitle, formatSince } from '../../functions/runtime/format.ts'
import { bold, dim, green, red, yellow } from '../../operator/text/colors.ts'

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

const marks = { problem: () => red('✗'), note: () => yellow('-') }

function linesOf(
  { level, since, evidence, action, command: args }: ReturnType<typeof grouped>[number],
  { now, command }: Shown,
): string[] {
  const age = since === null ? '' : `${formatSince(since, now)} `
  const run = args === undefined ? [] : [`  → ${command(args)}`]
  return [`${marks[level]()} ${evidence}`, dim(`  ${age}${action}`), ...run]
}
