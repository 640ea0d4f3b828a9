import type { Reporter, TestModule } from 'vitest/node'

/** Closes a run with `N passed, N failed`, a line that any CI can count. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A module or a group whose setting up failed: its tests count as skipped otherwise.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const broken = groups.filter((group) => group.errors().length > 0).length
    console.log(`${count('passed')} passed, ${count('failed') + broken + errors.length} failed`)
  }
}
