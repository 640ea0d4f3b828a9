import type { Command } from '../shell/command.ts'
import { credentialsCommand } from './credentials.ts'
import { doctorCommand } from './doctor.ts'
import { pullCommand } from './pull.ts'
import { cancelCommand, runsCommand, statusCommand } from './runs.ts'
import { syncCommand } from './sync.ts'
import { verifyCommand } from './verify.ts'

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
