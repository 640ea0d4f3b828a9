import type { RunView } from '../../functions/sync-api/views.ts'
import { findDeployment, ourCommand } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { CommandError } from '../shell/errors.ts'
import { ago, columns, grouped, span } from '../shell/format.ts'
import { openSyncs } from '../syncs.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show what is published of each entity, and what goes on',
  takesEntity: false,
  options: {},
  notes: [],
  async run({ target, terminal }) {
    const { entities } = await openSyncs(await findDeployment(target), terminal).list()
    return { ok: true, text: statusText(entities, Date.now()), data: { entities } }
  },
})

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'Show the last ten runs of an entity',
  takesEntity: true,
  options: {},
  notes: [],
  async run({ entity, target, terminal }) {
    const { runs } = await openSyncs(await findDeployment(target), terminal).read(entity)
    return { ok: true, text: runsText(runs, Date.now()), data: { entity, runs } }
  },
})

export const cancelCommand = defineCommand({
  name: 'cancel',
  summary: 'Cancel the sync of an entity that is under way',
  takesEntity: true,
  options: {},
  notes: ['What was published before stays.'],
  async run({ entity, target, terminal }) {
    const syncs = openSyncs(await findDeployment(target), terminal)
    const { running } = await syncs.read(entity)
    if (!running) {
      const fix = ourCommand(target, `runs ${entity}`)
      throw new CommandError(`No sync of ${entity} is under way.`, { fix })
    }
    const run = await syncs.cancel(entity, running.runId)
    return { ok: true, text: `Cancelled run ${run.runId} of ${entity}.`, data: run }
  },
})

type EntityView = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

export function statusText(entities: readonly EntityView[], now: number): string {
  if (entities.length === 0) return 'No entity is configured.'
  const rows = entities.map(({ entity, enabled, schedule, timezone, running, snapshot, runs }) => [
    entity,
    enabled ? `${schedule}${timezone === 'UTC' ? '' : ` ${timezone}`}` : 'by hand',
    snapshot ? grouped(snapshot.documents) : '-',
    snapshot ? ago(snapshot.publishedAt, now) : 'never',
    running ? progressText(running) : (runs[0]?.status ?? '-'),
  ])
  return columns([['entity', 'schedule', 'documents', 'published', 'last run'], ...rows])
}

export function runsText(runs: readonly RunView[], now: number): string {
  if (runs.length === 0) return 'There has been no run in the last 30 days.'
  const table = columns([
    ['run', 'started', 'took', 'status', 'documents', 'proof', 'attempts'],
    ...runs.map((run) => [
      run.runId,
      ago(run.startedAt, now),
      span((run.endedAt ? Date.parse(run.endedAt) : now) - Date.parse(run.startedAt)),
      run.endedAt ? run.status : progressText(run),
      grouped(run.documents),
      run.proof ?? '-',
      String(run.attempt),
    ]),
  ])
  const reasons = runs.filter(({ reason }) => reason).map(({ runId, reason }) => `${runId}: ${reason}`)
  return [table, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n')
}

function progressText({ status, percent }: RunView): string {
  return percent === null ? status : `${status} ${percent}%`
}
