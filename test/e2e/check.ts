import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.ts'

/** One promise of Longshore's, held against the deployed whole. */
export interface Check {
  /** In a reader's words. */
  readonly name: string
  run(world: World): Promise<void>
}

const longestMs = 180_000

/** Runs the checks one after the other, goes on after failures, and prints `N passed, N failed` as the last line. */
export async function runChecks(world: World, checks: readonly Check[]): Promise<void> {
  const failures: { check: Check; error: unknown; faults: string }[] = []
  for (const check of checks) {
    const startedAt = Date.now()
    let mark = '  ok '
    try {
      await withinTime(check.run(world))
    } catch (error) {
      // What fails while everything is being ended says nothing.
      if (world.interrupted()) return
      mark = 'FAIL '
      failures.push({ check, error, faults: await world.functionFaults(startedAt).catch(String) })
    }
    world.platform.faults.clear()
    console.log(`${mark} ${check.name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  }
  for (const { check, error, faults } of failures) {
    console.log(`\nFAIL  ${check.name}\n${error instanceof Error ? error.stack : String(error)}`)
    if (faults) console.log(`The functions logged meanwhile:\n${faults}`)
  }
  if (failures.length > 0) process.exitCode = 1
  console.log(`\n${checks.length - failures.length} passed, ${failures.length} failed`)
}

async function withinTime(work: Promise<void>): Promise<void> {
  const alarm = new AbortController()
  const late = sleep(longestMs, undefined, { signal: alarm.signal }).then(() => {
    throw new Error(`It did not end within ${longestMs / 1000} s.`)
  })
  late.catch(() => {})
  try {
    await Promise.race([work, late])
  } finally {
    alarm.abort()
  }
}

/** Asks until there is an answer. Throws, with what it waited for, if there is none in time (60 s if not given). */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw new Error(`Within ${seconds} s it never came to this: ${what}.`)
    await sleep(100)
  }
}
