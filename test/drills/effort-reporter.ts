import type { Reporter, TestModule } from 'vitest/node'
import { type Effort, effortTable } from './drill.ts'

declare module 'vitest' {
  interface TaskMeta {
    effort?: Effort
  }
}

/** Prints what the drills of a run took. */
export default class EffortReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const efforts = tests.flatMap((test) => test.meta().effort ?? [])
    if (efforts.length > 0) console.log(`\n${effortTable(efforts)}\n`)
  }
}
