import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from './context.ts'

/** One promise of Longshore, verified against the deployed stacks. */
export interface Check {
  /** A sentence about behaviour. */
  readonly name: string
  run(context: CheckContext): Promise<void>
}

/** Stops what hangs. Deployments take minutes on a busy machine. */
const maxCheckMs = 1_800_000

/** Runs the checks in order, continues after failures, and prints `N passed, N failed` as the last line. */
export async function runChecks(context: CheckContext, checks: readonly Check[]): Promise<void> {
  const failures: { check: Check; error: unknown; faults: string }[] = []
  for (const check of checks) {
    const startedAt = Date.now()
    let mark = '  ok '
    try {
      await withinTime(check.run(context))
    } catch (error) {
      // A failure during shutdown means nothing.
      if (context.interrupted()) return
      mark = 'FAIL '
      failures.push({ check, error, faults: await context.functionFaults(startedAt).catch(String) })
    }
    context.platform.faults.clear()
    console.log(`${mark} ${check.name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  }
  for (const { check, error, faults } of failures) {
    console.log(`\nFAIL  ${check.name}\n${error instanceof Error ? error.stack : String(error)}`)
    if (faults) console.log(`Log lines of the functions during this check:\n${faults}`)
  }
  if (failures.length > 0) process.exitCode = 1
  console.log(`\n${checks.length - failures.length} passed, ${failures.length} failed`)
}

async function withinTime(work: Promise<void>): Promise<void> {
  const alarm = new AbortController()
  const late = sleep(maxCheckMs, undefined, { signal: alarm.signal }).then(() => {
    throw new Error(`The check did not end within ${maxCheckMs / 1000} s.`)
  })
  late.catch(() => {})
  try {
    await Promise.race([work, late])
  } finally {
    alarm.abort()
  }
}

/** Polls until `ask` returns a value. Throws, with a description of the value, after 60 s by default. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const response = await ask()
    if (response !== undefined) return response
    if (Date.now() > deadline) throw new Error(`Timed out after ${seconds} s waiting for: ${what}.`)
    await sleep(100)
  }
}
