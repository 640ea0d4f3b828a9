import { plural } from '../../functions/runtime/format.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import type { CommandResult } from '../shell/command.ts'
import type { StartedRun } from './results.ts'

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
