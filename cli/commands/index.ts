import type { Command } from '../shell/command.ts'
import { acceptCommand } from './accept.ts'
import { cancelCommand } from './cancel.ts'
import { changesCommand } from './changes.ts'
import { clockCommand } from './clock.ts'
import { columnsCommand } from './columns.ts'
import { compareCommand } from './compare.ts'
import { consoleCommand } from './console.ts'
import { credentialsCommand } from './credentials.ts'
import { doctorCommand } from './doctor.ts'
import { eraseCommand } from './erase.ts'
import { historyCommand } from './history.ts'
import { initCommand } from './init.ts'
import { logsCommand } from './logs.ts'
import { pauseCommand, resumeCommand } from './pause.ts'
import { policyCommand } from './policy.ts'
import { probeCommand } from './probe.ts'
import { pullCommand } from './pull.ts'
import { purgeCommand } from './purge.ts'
import { repairScheduleCommand } from './repair-schedule.ts'
import { republishCommand } from './republish.ts'
import { retentionCommand } from './retention.ts'
import { reviewCommand } from './review.ts'
import { runsCommand } from './runs.ts'
import { statusCommand } from './status.ts'
import { syncCommand } from './sync.ts'
import { tableCommand } from './table.ts'
import { verifyCommand } from './verify.ts'

/** The command table, in the order of help. */
export const commands: readonly Command[] = [
  initCommand,
  doctorCommand,
  credentialsCommand,
  syncCommand,
  statusCommand,
  consoleCommand,
  runsCommand,
  logsCommand,
  reviewCommand,
  acceptCommand,
  republishCommand,
  cancelCommand,
  pauseCommand,
  resumeCommand,
  repairScheduleCommand,
  probeCommand,
  pullCommand,
  verifyCommand,
  changesCommand,
  historyCommand,
  compareCommand,
  tableCommand,
  columnsCommand,
  retentionCommand,
  eraseCommand,
  purgeCommand,
  policyCommand,
  clockCommand,
]
