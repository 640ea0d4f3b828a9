import { commandOf } from '../../functions/problems/problem.ts'
import { knownFix } from '../../functions/problems/run-fixes.ts'
import { formatDocuments, formatRoughDuration, plural } from '../../functions/runtime/format.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { partitionsRemark } from '../../operator/sync/run-bars.ts'
import type { RunView } from '../../stored/views.ts'
import type { CommandResult } from '../shell/command.ts'

export type StartedRun = Pick<RunView, 'entity' | 'runId'>

export function startedResult({ entity, runId }: StartedRun, target: Target): CommandResult {
  const watch = longshoreCommand(target, `sync ${entity} --watch`)
  const text = `Started run ${runId} of ${entity}. To watch it: ${watch}`
  return { ok: true, text, data: { entity, runId } }
}

export function endedResult(run: RunView, target: Target): CommandResult {
  const duration = formatRoughDuration(Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt))
  if (run.status === 'published') {
    const text = `Published ${formatDocuments(run.documents)} of ${run.entity} in ${duration}; proof: ${run.proof}.`
    return { ok: true, text: [text, partitionsRemark(run)].filter(Boolean).join('\n'), data: run }
  }
  const reason = run.reason ? `: ${run.reason}` : '.'
  const text = `Run ${run.runId} of ${run.entity} ended as ${run.status}${reason}`
  return { ok: false, text: [text, ...nextSteps(run, target)].join('\n'), data: run }
}

function nextSteps(run: RunView, target: Target): string[] {
  if (run.status === 'refused') return [`To review it: ${longshoreCommand(target, `review ${run.runId}`)}`]
  const fix = run.status === 'failed' ? knownFix(run) : undefined
  if (!fix) return []
  return [fix.action, ...(fix.step ? [`  → ${longshoreCommand(target, commandOf(fix.step))}`] : [])]
}

/** The runs that a request for many entities started. */
export function allStartedResult(runs: readonly StartedRun[], target: Target): CommandResult {
  const lines = runs.map(({ entity, runId }) => `Started run ${runId} of ${entity}.`)
  const watch = `To watch them: ${longshoreCommand(target, 'status --watch')}`
  return {
    ok: true,
    text: lines.length > 0 ? [...lines, watch].join('\n') : noEntity,
    data: { runs: runs.map(({ entity, runId }) => ({ entity, runId })) },
  }
}

const noEntity = 'No entity is enabled.'

/** The result of a request for many entities with --watch. */
export function combinedResult(results: readonly CommandResult[]): CommandResult {
  return {
    ok: results.every(({ ok }) => ok),
    text: results.map(({ text }) => text).join('\n') || noEntity,
    data: { runs: results.map(({ data }) => data) },
  }
}

export function startedIncrement({ entity, runId }: StartedRun, target: Target): CommandResult {
  const text = `Started increment ${runId} of ${entity}. To see its result: ${longshoreCommand(target, 'status')}`
  return { ok: true, text, data: { entity, runId } }
}

export function endedIncrement(
  { entity, runId, status, reason, increment }: RunView,
  target: Target,
): CommandResult {
  if (status !== 'published') {
    const text = `The increment ${runId} of ${entity} ended as ${status}: ${reason}`
    return { ok: false, text, data: { entity, runId, status, reason } }
  }
  const records = increment?.records ?? 0
  const text =
    records === 0
      ? `Nothing new in ${entity}: the window of increment ${runId} is complete.`
      : `Delivered ${plural(records, 'record')} of ${entity}. To read them: ${longshoreCommand(target, `pull ${entity} --update`)}`
  return { ok: true, text, data: { entity, runId, status, records } }
}
