import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../../operator/errors.ts'
import type { StandardOutput } from '../shell/terminal.ts'

/** Takes the records of one set after another. */
export interface ChangeReceiver {
  /**
   * Delivers the records of a set. Resolves to the last run whose records are known to be accepted, which may be an
   * earlier one; undefined if there is none yet. Throws `CommandError`, or the error of the records.
   */
  deliver(runId: string, lines: AsyncIterable<Buffer>): Promise<string | undefined>
}

/** The largest pipe that Linux allows without privileges (pipe(7)). What it may still contain is not accepted. */
const pipeBytes = 1_048_576

/**
 * Prints the records. What a file or a terminal took is accepted. A pipe does not tell what its reader took, so that a
 * set counts as accepted once so much was written after it that no pipe can still contain it.
 */
export function printer(output: StandardOutput): ChangeReceiver {
  const capacity = output.kind === 'pipe' ? pipeBytes : 0
  const pending: { readonly runId: string; readonly acceptedAt: number }[] = []
  let written = 0
  let acceptedAt = 0
  let accepted: string | undefined
  return {
    async deliver(runId, lines) {
      for await (const bytes of lines) {
        await output.write(bytes)
        written += bytes.length
        acceptedAt = written + capacity
      }
      pending.push({ runId, acceptedAt })
      while (pending[0] && pending[0].acceptedAt <= written) accepted = pending.shift()?.runId
      return accepted
    },
  }
}

/** Runs a command line of the shell once per set, with the records on its standard input. Exit code 0 accepts the set. */
export function runner(commandLine: string, signal: AbortSignal): ChangeReceiver {
  return {
    async deliver(runId, lines) {
      const child = spawn(commandLine, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
      const stop = () => child.kill('SIGTERM')
      signal.addEventListener('abort', stop)
      try {
        const ended = endOf(child, commandLine)
        const fed = feed(lines, child)
        const [end] = await Promise.all([ended, fed])
        if (end !== 'exit code 0')
          throw new CommandError(`${commandLine} ended with ${end} for the change set of run ${runId}.`, {
            fix: 'fix the program and run the same command again: it delivers this set again',
          })
        return runId
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

/** The program may end before it has read everything: its exit code decides. Throws the error of the records. */
async function feed(
  lines: AsyncIterable<Buffer>,
  child: ChildProcessByStdio<Writable, null, null>,
): Promise<void> {
  let unreadable: { readonly cause: unknown } | undefined
  async function* observed() {
    try {
      yield* lines
    } catch (cause) {
      unreadable = { cause }
      child.kill('SIGTERM')
    }
  }
  await pipeline(observed(), child.stdin).catch(() => undefined)
  if (unreadable) throw unreadable.cause
}

async function endOf(child: ChildProcess, commandLine: string): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    return signal ? `signal ${signal}` : `exit code ${code}`
  } catch (cause) {
    throw new CommandError(`Cannot run ${commandLine}: ${(cause as Error).message}`, { cause })
  }
}
