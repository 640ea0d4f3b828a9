import { commandsFor } from '../../operator/doctor/fixes.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { NotChecked, UsageError } from '../../operator/errors.ts'
import { reportOf } from '../doctor/report.ts'
import { runLive } from '../doctor/run-live.ts'
import { defineCommand } from '../shell/command.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check the deployment and suggest fixes',
  options: {
    '--live <ENTITY>': 'Check the API, the typed table and a sync of this entity',
    '-y, --yes': 'With --live: start without a prompt',
  },
  description: [
    'Compares stacks and functions with this checkout, which it synthesizes, and checks the platform from this ' +
      'machine, the credentials, the schedules and the age of the snapshots. With --local, checks the platform, the ' +
      'credentials and the snapshots. --live instead calls the API, reads the typed table of the entity in Glue and ' +
      'Athena, and makes one sync.',
    'The exit code is 1 if there is a problem, otherwise 2 if something could not be checked. --json prints ' +
      '`problems` as `status` does, and `findings`: what is all right or could not be checked.',
  ],
  examples: {
    doctor: 'Check the deployment',
    'doctor --live CL': 'Check that AWS does what Longshore expects',
  },
  async run({ values, target, terminal, pause, signal }) {
    const { live, yes } = values
    if (live === undefined && yes) throw new UsageError('--yes is only for --live.')
    const inspection =
      live === undefined
        ? await inspectDeployment(target, terminal).catch((cause: unknown) => {
            throw new NotChecked('The deployment could not be checked.', { cause })
          })
        : await runLive({ entity: live, yes, target, terminal, pause, signal })
    return reportOf(inspection, commandsFor(target))
  },
})
