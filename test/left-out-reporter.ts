import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { leftOut } from './left-out.ts'
import { projects } from './projects.ts'

/** Prints what the run of tests has left out. */
export default class LeftOutReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest) {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]) {
    const ran = this.#vitest?.projects.map(({ name }) => name) ?? []
    // A pattern of titles skips every other test.
    const isFiltered = this.#vitest?.config.testNamePattern !== undefined
    const skipped = isFiltered
      ? []
      : modules.map((module) => ({
          project: module.project.name,
          file: module.relativeModuleId,
          tests: [...module.children.allTests('skipped')].filter(({ options }) => options.mode === 'skip')
            .length,
        }))
    const lines = leftOut({ projects, ran, skipped: skipped.filter(({ tests }) => tests > 0) })
    if (lines.length > 0) console.log(`\n${lines.join('\n')}\n`)
  }
}
