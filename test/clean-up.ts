import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { interrupts, onInterrupt } from '../operator/interrupts.ts'

/** Tasks that run however the program ends, the newest first. */
export interface CleanUp {
  add(task: () => unknown): void
  /** Creates a folder in `parent` that is removed at the end. */
  temporaryFolder(parent: string): string
  run(): Promise<void>
  /** True after a signal has interrupted the run. */
  readonly interrupted: boolean
}

/** Runs at an interrupt, and then exits. */
export function openCleanUp(): CleanUp {
  const tasks: (() => unknown)[] = []
  let running: Promise<void> | undefined
  let interrupted = false

  async function runAll() {
    for (const task of tasks.toReversed()) {
      try {
        await task()
      } catch (error) {
        console.error('A clean-up task failed:', error)
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
  onInterrupt((signal) => {
    interrupted = true
    console.error(`\n${signal}: cleaning up`)
    void cleanUp.run().then(() => process.exit(interrupts[signal]))
  })
  return cleanUp
}
