import {
  deployCommand,
  longshoreCommand,
  notDeployedFix,
  type StacksTarget,
  type Target,
} from '../deployment.ts'
import type { Finding, FixCommands } from '../doctor/finding.ts'
import { findingsOf, localFindings } from '../doctor/findings.ts'
import { gatherFacts, gatherLocalFacts } from '../doctor/gather.ts'
import { defineCommand } from '../shell/command.ts'
import { bold, dim, green, red, type Terminal, yellow } from '../shell/terminal.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check the deployment and suggest fixes',
  entity: 'none',
  flags: {},
  description: [
    'Checks that the stacks are deployed and match this checkout, that the platform is reachable and accepts the ' +
      'credentials, that schedules exist as configured and start runs, and that every entity has a recent snapshot. ' +
      'Nothing is changed. To find drift, the checkout is synthesized, which takes some seconds.',
    'The platform is called from this machine, not from the functions. With --local, checks the platform, the ' +
      'credentials and the snapshots.',
    'The exit code is 1 if there is a problem. Notes do not count.',
  ],
  examples: [
    { purpose: 'Check the deployment', command: 'doctor' },
    { purpose: 'Print findings and fixes as JSON', command: 'doctor --json' },
  ],
  async run({ target, terminal }) {
    const findings = await inspectDeployment(target, terminal)
    const ok = !findings.some(({ level }) => level === 'problem')
    return { ok, text: report(findings), data: { ok, findings } }
  },
})

/** Everything that the doctor finds. */
export async function inspectDeployment(target: Target, terminal: Terminal): Promise<Finding[]> {
  return target.kind === 'local'
    ? localFindings(await gatherLocalFacts(target, terminal), { longshore: commandsFor(target) })
    : findingsOf(await gatherFacts(target, terminal), fixesFor(target))
}

const commandsFor = (target: Target) => (words: string) => longshoreCommand(target, words)

/** Commands for the deployment that the flags select. */
export function fixesFor(target: StacksTarget): FixCommands {
  return {
    deploy: deployCommand(target),
    revertDrift: deployCommand(target, ['--revert-drift']),
    firstDeploy: notDeployedFix(target, 'none'),
    longshore: commandsFor(target),
  }
}

const marks = { ok: green('✓'), note: yellow('-'), problem: red('✗') }

function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, text, fix }) => [
    `${marks[level]} ${text}`,
    ...(fix ? [dim(`  → ${fix}`)] : []),
  ])
  const problems = findings.filter(({ level }) => level === 'problem').length
  const summary =
    problems === 0 ? 'No problems found.' : problems === 1 ? '1 problem.' : `${problems} problems.`
  return [...lines, '', bold(summary)].join('\n')
}
