import type { RequestedReset } from '../../operator/changes/request-reset.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import type { CommandResult } from '../shell/command.ts'

export function resetResult(requested: RequestedReset, target: Target): CommandResult {
  const { entity, tip } = requested
  const text =
    `The next change set of ${entity} is a reset, so its readers load the snapshot. Until then the tip stays ` +
    `at run ${tip}. To publish the reset now: ${longshoreCommand(target, `sync ${entity} --watch`)}`
  return { ok: true, text, data: requested }
}
