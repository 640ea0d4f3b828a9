import { plural } from '../../functions/runtime/format.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import type { IncrementOutcome } from '../../operator/sync/increment.ts'
import type { CommandResult } from '../shell/command.ts'

export function startedIncrement(entity: string, target: Target): CommandResult {
  const text = `Started an increment of ${entity}. To see its result: ${longshoreCommand(target, 'status')}`
  return { ok: true, text, data: { entity } }
}

export function endedIncrement(ended: IncrementOutcome, target: Target): CommandResult {
  const { entity, runId } = ended
  if (ended.status !== 'published') {
    const text = `The increment ${runId} of ${entity} ended as ${ended.status}: ${ended.reason}`
    return { ok: false, text, data: ended }
  }
  const { records } = ended
  const text =
    records === 0
      ? `Nothing new in ${entity}: the window of increment ${runId} is complete.`
      : `Delivered ${plural(records, 'record')} of ${entity}. To read them: ${longshoreCommand(target, `pull ${entity} --update`)}`
  return { ok: true, text, data: ended }
}
