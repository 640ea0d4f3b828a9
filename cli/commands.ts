import type { Command } from './command.ts'
import { credentialsCommand } from './credentials-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { pullCommand } from './pull-command.ts'
import { cancelCommand, runsCommand, statusCommand } from './run-commands.ts'
import { syncCommand } from './sync-command.ts'
import { verifyCommand } from './verify-command.ts'

/** THE table, in the order in which an owner meets them. */
export const commands: readonly Command[] = [
  doctorCommand,
  credentialsCommand,
  syncCommand,
  statusCommand,
  runsCommand,
  cancelCommand,
  pullCommand,
  verifyCommand,
]
