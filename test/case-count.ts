import { expect, inject, it } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    takesEveryCase?: true
  }
}

/** Tests try one in so many cases, unless they run in the project `every-case`. */
const every = () => (inject('takesEveryCase') ? 1 : 12)

/** A test that needs so much data that only the project `every-case` runs it. */
export const itWithMuch: ReturnType<typeof it.runIf> = it.runIf(inject('takesEveryCase'))

/** The numbers from 1 to the count that a test tries, at least one. Tests with different titles try different ones. */
export function numbersToTry(count: number): number[] {
  const offset = Buffer.from(expect.getState().currentTestName ?? '').reduce((sum, byte) => sum + byte, 0)
  const step = Math.min(every(), count)
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => (number + offset) % step === 0,
  )
}

/** The rows of a table of cases that tests try, with the first one. */
export const rowsToTry = <Row>(rows: readonly Row[]): Row[] =>
  rows.filter((_, index) => index % every() === 0)

/** With how many random cases a test tries a property. */
export const runsToTry = (all: number): number => Math.ceil(all / every())
