import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What has to be ended or removed, whatever becomes of the run: the newest first. */
export interface CleanUp {
  add(task: () => unknown): void
  /** A new folder in this one, removed at the end. */
  temporaryFolder(parent: string): string
  run(): Promise<void>
  /** True once a signal has ended the run. */
  readonly interrupted: boolean
}

/** Runs by itself on Ctrl-C and on a kind kill, and ends the process then. */
export function openCleanUp(): CleanUp {
  const tasks: (() => unknown)[] = []
  let running: Promise<void> | undefined
  let interrupted = false

  async function runAll() {
    for (const task of tasks.toReversed()) {
      try {
        await task()
      } catch (error) {
        console.error('Something could not be cleaned up:', error)
        process.exitCode = 1
      }
    }
  }

  const cleanUp: CleanUp = {
    add: (task) => void tasks.push(task),
    temporaryFolder(parent) {
      const folder = mkdtempSync(join(parent, 'longshore-e2e-'))
      tasks.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
      return folder
    },
    run() {
      running ??= runAll()
      return running
    },
    get interrupted() {
      return interrupted
    },
  }
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    // Not once: npm passes a Ctrl-C on to a child that has heard it already.
    process.on(signal, () => {
      if (interrupted) return
      interrupted = true
      console.error(`\n${signal}: cleaning up`)
      void cleanUp.run().then(() => process.exit(code))
    })
  }
  return cleanUp
}
