import { type Deployment, findDeployment } from '../deployment.ts'
import { type Next, nextRuns, readSchedules } from '../schedules.ts'
import { defineCommand } from '../shell/command.ts'
import { failureOf } from '../shell/errors.ts'
import { formatAge, formatCount, formatRoughDuration, formatTable } from '../shell/format.ts'
import { barLines } from '../shell/progress.ts'
import type { Terminal } from '../shell/terminal.ts'
import { partitionsRemark, runBars } from '../sync/run-bars.ts'
import { openSyncs } from '../syncs.ts'
import { progressText } from './runs.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show the published snapshot, the last run and the next run of each entity',
  entity: 'none',
  flags: {},
  description: [
    'The next run is when the schedule in the account is due. A schedule with a rate may start it some minutes later.',
  ],
  examples: [
    { purpose: 'Show all entities', command: 'status' },
    { purpose: 'Read the status in a script', command: 'status --json' },
  ],
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
    return () => ({ kind: 'unknown' })
  }
}

type EntityView = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

/** A table of the entities, and below it the ranges that are being scrolled. */
export function statusText(entities: readonly (EntityView & { next: Next })[], now: number): string {
  if (entities.length === 0) return 'No entity is configured.'
  const rows = entities.map(({ entity, enabled, schedule, timezone, running, snapshot, runs, next }) => [
    entity,
    enabled ? `${schedule}${timezone === 'UTC' ? '' : ` ${timezone}`}` : 'on demand',
    snapshot ? formatCount(snapshot.documents) : '-',
    snapshot ? formatAge(snapshot.publishedAt, now) : 'never',
    running ? progressText(running) : (runs[0]?.status ?? '-'),
    nextText(next, now),
  ])
  const heading = ['ENTITY', 'SCHEDULE', 'DOCUMENTS', 'PUBLISHED', 'LAST RUN', 'NEXT RUN']
  return [formatTable([heading, ...rows]), ...entities.flatMap(partitionsText)].join('\n\n')
}

function nextText(next: Next, now: number): string {
  if (next.kind === 'run') return `in ${formatRoughDuration(Date.parse(next.at) - now)}`
  return { paused: 'paused', none: '-', unknown: 'unknown' }[next.kind]
}

/** The ranges of the running run, or why the last run was scrolled without them. */
function partitionsText({ entity, running, runs }: EntityView): string[] {
  if (running?.partitions) return [barLines(runBars(running)).join('\n')]
  const last = running ?? runs[0]
  return last?.partitionsReason ? [`${entity}: ${partitionsRemark(last)}`] : []
}
