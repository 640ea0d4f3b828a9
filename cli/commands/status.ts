import { type Deployment, findDeployment } from '../../operator/deployment/deployment.ts'
import { commandsFor } from '../../operator/doctor/fixes.ts'
import { inspect } from '../../operator/doctor/inspect.ts'
import { orphanFindings } from '../../operator/doctor/orphan-findings.ts'
import { failureOf } from '../../operator/errors.ts'
import { findOrphans } from '../../operator/purge/stored-entities.ts'
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
    'Below the table are entities that are not configured, of which data is stored. `longshore purge` deletes it.',
    'The progress of a running sync is recorded about every 20 seconds. To follow it, use `longshore sync ENTITY --watch`.',
  ],
  examples: {
    status: 'Show all entities',
    'status --json': 'Read the status in a script',
  },
  async run({ target, terminal }) {
    const deployment = await findDeployment(target)
    const [{ entities }, next, orphans] = await Promise.all([
      openSyncs(deployment, terminal).list(),
      readNext(deployment, terminal),
      inspect(() => findOrphans(deployment, deployment.configuration)),
    ])
    const status = entities.map((entity) => ({ ...entity, next: next(entity.entity) }))
    const now = deployment.now()
    const findings = orphanFindings(orphans, { now, fixes: { longshore: commandsFor(target) } })
    const notes = findings.flatMap(({ text, fix }) => [text, ...(fix ? [`  → ${fix}`] : [])])
    return {
      ok: true,
      text: [statusText(status, now), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'),
      data: { entities: status, orphans: 'value' in orphans ? orphans.value : [] },
    }
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
