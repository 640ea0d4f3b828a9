import { findDeployment } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { formatAge, formatCount, formatTable } from '../shell/format.ts'
import { barLines } from '../shell/progress.ts'
import { partitionsRemark, runBars } from '../sync/run-bars.ts'
import { openSyncs } from '../syncs.ts'
import { progressText } from './runs.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show the published snapshot and the last run of each entity',
  entity: 'none',
  flags: {},
  description: [],
  examples: [
    { purpose: 'Show all entities', command: 'status' },
    { purpose: 'Read the status in a script', command: 'status --json' },
  ],
  async run({ target, terminal }) {
    const deployment = await findDeployment(target)
    const { entities } = await openSyncs(deployment, terminal).list()
    return { ok: true, text: statusText(entities, deployment.now()), data: { entities } }
  },
})

type EntityView = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

/** A table of the entities, and below it the ranges that are being scrolled. */
export function statusText(entities: readonly EntityView[], now: number): string {
  if (entities.length === 0) return 'No entity is configured.'
  const rows = entities.map(({ entity, enabled, schedule, timezone, running, snapshot, runs }) => [
    entity,
    enabled ? `${schedule}${timezone === 'UTC' ? '' : ` ${timezone}`}` : 'on demand',
    snapshot ? formatCount(snapshot.documents) : '-',
    snapshot ? formatAge(snapshot.publishedAt, now) : 'never',
    running ? progressText(running) : (runs[0]?.status ?? '-'),
  ])
  const table = formatTable([['ENTITY', 'SCHEDULE', 'DOCUMENTS', 'PUBLISHED', 'LAST RUN'], ...rows])
  return [table, ...entities.flatMap(partitionsText)].join('\n\n')
}

/** The ranges of the running run, or why the last run was scrolled without them. */
function partitionsText({ entity, running, runs }: EntityView): string[] {
  if (running?.partitions) return [barLines(runBars(running)).join('\n')]
  const last = running ?? runs[0]
  return last?.partitionsReason ? [`${entity}: ${partitionsRemark(last)}`] : []
}
