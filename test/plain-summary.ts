import type { Reporter, TestModule } from 'vitest/node'

/** Prints `N passed, N failed` at the end of a run, a line that any CI can parse. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // The tests of a module or group whose setup failed would count as skipped.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const broken = groups.filter((group) => group.errors().length > 0).length
    console.log(`${count('passed')} passed, ${count('failed') + broken + errors.length} failed`)
  }
}
