import type { Next } from '../../operator/schedules/schedules.ts'
import { lastScrolled, partitionsRemark, runBars } from '../../operator/sync/run-bars.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import { formatAge, formatCount, formatRoughDuration } from '../../operator/text/format.ts'
import { barLines } from '../../operator/text/progress.ts'
import { formatTable } from '../shell/table.ts'
import { progressText } from './run-table.ts'

type EntityView = Awaited<ReturnType<Syncs['list']>>['entities'][number]

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
function partitionsText(view: EntityView): string[] {
  const { entity, running } = view
  if (running?.partitions) return [barLines(runBars(running)).join('\n')]
  const last = lastScrolled(view)
  return last?.partitionsReason ? [`${entity}: ${partitionsRemark(last)}`] : []
}
