import type { Target } from '../deployment.ts'
import type { Finding } from '../doctor/finding.ts'
import { findingsOf, localFindings } from '../doctor/findings.ts'
import { gatherFacts, gatherLocalFacts } from '../doctor/gather.ts'
import { commandsFor, fixesFor, reportOf } from '../doctor/report.ts'
import { defineCommand } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check the deployment and suggest fixes',
  entity: 'none',
  flags: {},
  description: [
    'Checks that the stacks are deployed and match this checkout, that the platform is reachable and accepts the ' +
      'credentials, that schedules exist as configured and start runs, and that every entity has a recent snapshot. ' +
      'Names the reason if the last run of an entity was scrolled without its partitions. Nothing is changed. To find drift, the checkout is synthesized, which takes some seconds.',
    'The platform is called from this machine, not from the functions. With --local, checks the platform, the ' +
      'credentials and the snapshots.',
    'The exit code is 1 if there is a problem. Notes do not count.',
  ],
  examples: [
    { purpose: 'Check the deployment', command: 'doctor' },
    { purpose: 'Print findings and fixes as JSON', command: 'doctor --json' },
  ],
  async run({ target, terminal }) {
    return reportOf(await inspectDeployment(target, terminal))
  },
})

/** Everything that the doctor finds. */
export async function inspectDeployment(target: Target, terminal: Terminal): Promise<Finding[]> {
  return target.kind === 'local'
    ? localFindings(await gatherLocalFacts(target, terminal), { longshore: commandsFor(target) })
    : findingsOf(await gatherFacts(target, terminal), fixesFor(target))
}
