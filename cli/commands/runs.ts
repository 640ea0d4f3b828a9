import type { RunView } from '../../functions/sync-api/views.ts'
import { findDeployment, requireEntity } from '../deployment.ts'
import { defineCommand } from '../shell/command.ts'
import { UsageError } from '../shell/errors.ts'
import { formatAge, formatCount, formatRoughDuration, formatTable } from '../shell/format.ts'
import { openSyncs } from '../syncs.ts'

const maxLimit = 1000

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'List the last runs of an entity',
  entity: 'required',
  flags: {
    limit: { type: 'string', short: 'L', value: 'N', default: '10', summary: 'Maximum number of runs' },
  },
  description: ['Runs are kept for 30 days after their end.'],
  examples: [
    { purpose: 'List the last 10 runs of CL', command: 'runs CL' },
    { purpose: 'List more runs', command: 'runs CL --limit 100' },
  ],
  async run({ entity, values, target, terminal }) {
    const limit = readLimit(values.limit)
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const runs = await openSyncs(deployment, terminal).listRuns(entity, limit)
    return { ok: true, text: runsText(runs, deployment.now()), data: { entity, runs } }
  },
})

function readLimit(text: string): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= maxLimit) return limit
  throw new UsageError(`Invalid value '${text}' for --limit. Use a whole number from 1 to ${maxLimit}.`)
}

function runsText(runs: readonly RunView[], now: number): string {
  if (runs.length === 0) return 'No runs in the last 30 days.'
  const table = formatTable([
    ['RUN', 'STARTED', 'DURATION', 'STATUS', 'DOCUMENTS', 'PROOF', 'ATTEMPTS'],
    ...runs.map((run) => [
      run.runId,
      formatAge(run.startedAt, now),
      formatRoughDuration((run.endedAt ? Date.parse(run.endedAt) : now) - Date.parse(run.startedAt)),
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
