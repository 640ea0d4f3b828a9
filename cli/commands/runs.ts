import type { RunView } from '../../functions/sync-api/views.ts'
import { findDeployment } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { formatAge, formatCount, formatDuration, formatTable } from '../shell/format.ts'
import { openSyncs } from '../syncs.ts'

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'List the last 10 runs of an entity',
  takesEntity: true,
  flags: {},
  description: ['Runs are kept for 30 days after their end.'],
  examples: [{ purpose: 'List the runs of CL', command: 'runs CL' }],
  async run({ entity, target, terminal }) {
    const deployment = await findDeployment(target)
    const { runs } = await openSyncs(deployment, terminal).read(entity)
    return { ok: true, text: runsText(runs, deployment.now()), data: { entity, runs } }
  },
})

function runsText(runs: readonly RunView[], now: number): string {
  if (runs.length === 0) return 'No runs in the last 30 days.'
  const table = formatTable([
    ['RUN', 'STARTED', 'DURATION', 'STATUS', 'DOCUMENTS', 'PROOF', 'ATTEMPTS'],
    ...runs.map((run) => [
      run.runId,
      formatAge(run.startedAt, now),
      formatDuration((run.endedAt ? Date.parse(run.endedAt) : now) - Date.parse(run.startedAt)),
      run.endedAt ? run.status : progressText(run),
      formatCount(run.documents),
      run.proof ?? '-',
      String(run.attempt),
    ]),
  ])
  const reasons = runs.filter(({ reason }) => reason).map(({ runId, reason }) => `${runId}: ${reason}`)
  return [table, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n')
}

/** `running 42%`, or the status alone while the total is unknown. */
export function progressText({ status, percent }: Pick<RunView, 'status' | 'percent'>): string {
  return percent === null ? status : `${status} ${percent}%`
}
