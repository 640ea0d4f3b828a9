import { deployCommand, ourCommand } from '../deployment.ts'
import { gatherFacts } from '../doctor/facts.ts'
import { type Finding, findingsOf } from '../doctor/findings.ts'
import { defineCommand } from '../shell/command.ts'
import { bold, dim, green, red, yellow } from '../shell/terminal.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Say whether all is well, and what mends what is not',
  takesEntity: false,
  options: {},
  notes: [
    'Is it deployed; is what is deployed what this checkout would deploy (it is synthesised, which takes some seconds, ' +
      'and compared with the templates in the account); can the platform be reached; are keys set and accepted; do the ' +
      'schedules stand as configured and start runs; when was each entity published. Nothing is changed.',
    'Whether the platform can be reached is seen from this machine, not from the functions.',
    'Exit code 1 if there is a problem; notes are none.',
  ],
  async run({ target, terminal }) {
    const facts = await gatherFacts(target, terminal)
    const findings = findingsOf(facts, {
      deploy: deployCommand(target),
      our: (words) => ourCommand(target, words),
    })
    const ok = !findings.some(({ level }) => level === 'problem')
    return { ok, text: report(findings), data: { ok, findings } }
  },
})

const marks = { ok: green('✓'), note: yellow('-'), problem: red('✗') }

function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, text, fix }) => [
    `${marks[level]} ${text}`,
    ...(fix ? [dim(`  → ${fix}`)] : []),
  ])
  const problems = findings.filter(({ level }) => level === 'problem').length
  const verdict = problems === 0 ? 'All is well.' : problems === 1 ? '1 problem.' : `${problems} problems.`
  return [...lines, '', bold(verdict)].join('\n')
}
