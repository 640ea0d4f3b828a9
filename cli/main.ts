import { runCommandLine } from './run.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { createTerminal } from './shell/terminal.ts'

const cleanUpMs = 2_000

/**
 * Aborted at the first interrupt, so that the command can clean up. A second one is ignored: npm forwards Ctrl-C to a
 * child that has already received it from the terminal.
 */
function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) return
      controller.abort()
      setTimeout(() => process.exit(exitCodes.interrupted.code), cleanUpMs).unref()
    })
  }
  return controller.signal
}

const session = { terminal: createTerminal(process), signal: interruptSignal() }
process.exitCode = await runCommandLine(process.argv.slice(2), session)
// Kept-alive connections to the platform and to AWS would delay the exit by seconds.
process.exit()
