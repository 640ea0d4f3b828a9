import { type Deployment, findDeployment } from '../../operator/deployment/deployment.ts'
import { failureOf } from '../../operator/errors.ts'
import { type Next, nextRuns, readSchedules } from '../../operator/schedules/schedules.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { statusText } from '../sync/status-text.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show the published snapshot, the last run and the next run of each entity',
  description: [
    'The next run is when the deployed schedule next fires. A schedule with a rate may start it some minutes later.',
    'The progress of a running sync is recorded about every 20 seconds. To follow it, use `longshore sync ENTITY --watch`.',
  ],
  examples: {
    status: 'Show all entities',
    'status --json': 'Read the status in a script',
  },
  async run({ target, terminal }) {
    const deployment = await findDeployment(target)
    const [{ entities }, next] = await Promise.all([
      openSyncs(deployment, terminal).list(),
      readNext(deployment, terminal),
    ])
    const status = entities.map((entity) => ({ ...entity, next: next(entity.entity) }))
    return { ok: true, text: statusText(status, deployment.now()), data: { entities: status } }
  },
})

/** The next run by entity. Without the right to read schedules, the rest of the status is still shown. */
async function readNext(
  { kind, configuration, now }: Deployment,
  terminal: Terminal,
): Promise<(entity: string) => Next> {
  try {
    const schedules = kind === 'local' ? [] : await readSchedules(configuration.name)
    return nextRuns(schedules, now())
  } catch (error) {
    terminal.note(`Cannot read the schedules: ${failureOf(error).message}`)
    return nextRuns(undefined, now())
  }
}
