import { expect } from 'vitest'
import { expectedCommands } from './executions.ts'
import { formOf } from './named-commands.ts'

/** What the tests of this process have executed, by their titles. */
const executed = new Map<string, Set<string>>()

/** The title of the running test, of which vitest knows the full name; undefined before and after tests. */
function currentTitle(): string | undefined {
  return expect.getState().currentTestName?.split(' > ').at(-1)
}

/** Notes that a test executes a command line, for the table of executions. */
export function noteCommand(args: string): void {
  const title = currentTitle()
  if (title === undefined) return
  const forms = executed.get(title) ?? new Set()
  executed.set(title, forms)
  try {
    forms.add(formOf(args))
  } catch {
    // A test of a command line that is refused.
  }
}

/** What every test of this process has executed. */
export const executedForms = (): ReadonlySet<string> =>
  new Set([...executed.values()].flatMap((forms) => [...forms]))

/** Checks that the tests that have run executed the commands that the table lists for them. */
export function expectExecutions(): void {
  const missing = [...expectedCommands()].flatMap(([title, forms]) => {
    const found = executed.get(title)
    return found ? [...forms].filter((form) => !found.has(form)).map((form) => `${title}: ${form}`) : []
  })
  expect(missing).toEqual([])
}
