import type { Finding } from '../../operator/doctor/finding.ts'
import { bold, dim, green, red, yellow } from '../../operator/text/colors.ts'
import type { CommandResult } from '../shell/command.ts'

const marks = { ok: () => green('✓'), note: () => yellow('-'), problem: () => red('✗') }

/** The findings in their order, each with its fix, and the number of problems. Only problems count for the exit code. */
export function reportOf(findings: readonly Finding[]): CommandResult {
  const lines = findings.flatMap(({ level, text, fix }) => [
    `${marks[level]()} ${text}`,
    ...(fix ? [dim(`  → ${fix}`)] : []),
  ])
  const problems = findings.filter(({ level }) => level === 'problem').length
  const summary =
    problems === 0 ? 'No problems found.' : problems === 1 ? '1 problem.' : `${problems} problems.`
  const ok = problems === 0
  return { ok, text: [...lines, '', bold(summary)].join('\n'), data: { ok, findings } }
}
