import { TaskFailed } from '../../task/run.ts'

/** What is stored differs from what it was made of. Nothing is committed. */
export const mismatch = (difference: string) =>
  new TaskFailed(`${difference} The next publication builds the table again. If that fails too, report this.`)

export const isMismatch = (error: unknown): error is Error => error instanceof TaskFailed

export type Fact = readonly [what: string, found: unknown, needed: unknown]

/** Throws `TaskFailed` for the first fact that is not as needed. */
export function compareFacts(object: string, facts: readonly Fact[]): void {
  for (const [what, found, needed] of facts)
    if (found !== needed)
      throw mismatch(`${object} has ${what}: ${String(found)}; it needs ${String(needed)}.`)
}
