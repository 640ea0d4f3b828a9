import { commandsFor } from '../../operator/doctor/fixes.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { NotChecked } from '../../operator/errors.ts'
import { reportOf } from '../doctor/report.ts'
import { defineCommand } from '../shell/command.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check the deployment and suggest fixes',
  description: [
    'Checks that the stacks are deployed and match this checkout, that the platform is reachable and accepts the ' +
      'credentials, that schedules exist as configured and start runs, and that every entity has a recent snapshot. ' +
      'If the last run of an entity did not use its configured partitions, shows why. Changes nothing. To find drift, doctor synthesizes the checkout, which takes a few seconds.',
    'The platform is called from this machine, not from the functions. With --local, checks the platform, the ' +
      'credentials and the snapshots.',
    'Problems are those that `status` shows, and those that only doctor looks for. The exit code is 1 if there is one, ' +
      'otherwise 2 if something could not be checked. Notes do not count.',
    '--json prints `problems` as `status` does, and `findings`: what is all right or could not be checked.',
  ],
  examples: {
    doctor: 'Check the deployment',
    'doctor --json': 'Print findings and fixes as JSON',
  },
  async run({ target, terminal }) {
    const inspection = await inspectDeployment(target, terminal).catch((cause: unknown) => {
      throw new NotChecked('The deployment could not be checked.', { cause })
    })
    return reportOf(inspection, commandsFor(target))
  },
})
