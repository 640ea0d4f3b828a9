import { formatDocuments, formatRoughDuration } from '../../functions/runtime/format.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { partitionsRemark } from '../../operator/sync/run-bars.ts'
import type { CommandResult } from '../shell/command.ts'

export type StartedRun = Pick<RunView, 'entity' | 'runId'>

export function startedResult({ entity, runId }: StartedRun, target: Target): CommandResult {
  const watch = longshoreCommand(target, `sync ${entity} --watch`)
  return {
    ok: true,
    text: `Started run ${runId} of ${entity}. To watch it: ${watch}`,
    data: { entity, runId },
  }
}

export function endedResult(run: RunView): CommandResult {
  const duration = formatRoughDuration(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${formatDocuments(run.documents)} of ${run.entity} in ${duration}; proof: ${run.proof}.`
    return { ok: true, text: [text, partitionsRemark(run)].filter(Boolean).join('\n'), data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  return { ok: false, text: `Run ${run.runId} of ${run.entity} ended as ${run.status}${reason}`, data: run }
}

/** The result of --all. */
export function combinedResult(results: readonly CommandResult[]): CommandResult {
  return {
    ok: results.every(({ ok }) => ok),
    text: results.map(({ text }) => text).join('\n') || 'No entity is enabled.',
    data: { runs: results.map(({ data }) => data) },
  }
}
