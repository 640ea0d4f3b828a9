import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type CliWorld, collect, until } from './cli-world.ts'

/** `longshore console` in a process of its own. */
export interface ConsoleProcess {
  /** With the token. */
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

export async function startConsole(world: Pick<CliWorld, 'start'>, flags = ''): Promise<ConsoleProcess> {
  const child = world.start(`console --no-open${flags}`)
  const printed = collect(child.stderr)
  await until(printed, 'Press Ctrl-C')
  return {
    url: /http:\S+/.exec(printed.text)?.[0] ?? '',
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}
