import { onInterrupt } from '../operator/interrupts.ts'
import { pause } from '../operator/waiting.ts'
import { runCommandLine } from './run.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { createTerminal } from './shell/terminal.ts'

const cleanUpMs = 2_000

/** Aborted by an interrupt, so that the command can clean up. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  onInterrupt(() => {
    controller.abort()
    setTimeout(() => process.exit(exitCodes.interrupted.code), cleanUpMs).unref()
  })
  return controller.signal
}

const session = { terminal: createTerminal(process), pause, signal: interruptSignal() }
process.exitCode = await runCommandLine(process.argv.slice(2), session)
// Kept-alive connections to the platform and to AWS would delay the exit by seconds.
process.exit()
