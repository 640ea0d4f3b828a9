import {
  deployCommand,
  longshoreCommand,
  notDeployedFix,
  type StacksTarget,
  type Target,
} from '../deployment.ts'
import type { CommandResult } from '../shell/command.ts'
import { bold, dim, green, red, yellow } from '../shell/terminal.ts'
import type { Finding, FixCommands } from './finding.ts'

export const commandsFor = (target: Target) => (words: string) => longshoreCommand(target, words)

/** Commands for the deployment that the flags select. */
export function fixesFor(target: StacksTarget): FixCommands {
  return {
    deploy: deployCommand(target),
    revertDrift: deployCommand(target, ['--revert-drift']),
    firstDeploy: notDeployedFix(target, 'none'),
    longshore: commandsFor(target),
  }
}

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
