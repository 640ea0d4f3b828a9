import { expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    takesEveryCase?: true
  }
}

/** Whether tests run in the project `every-case`: all cases, and those that need much data. */
export const takesEveryCase = (): boolean => inject('takesEveryCase') === true

/** Otherwise, tests try one in so many cases. */
const every = () => (takesEveryCase() ? 1 : 12)

/** The numbers from 1 to the count that a test tries, and the last. Tests with different titles try different ones. */
export function numbersToTry(count: number): number[] {
  const offset = Buffer.from(expect.getState().currentTestName ?? '').reduce((sum, byte) => sum + byte, 0)
  const step = Math.min(every(), count)
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => number === count || (number + offset) % step === 0,
  )
}

/** The rows of a table of cases that tests try, with the first one. */
export const rowsToTry = <Row>(rows: readonly Row[]): Row[] =>
  rows.filter((_, index) => index % every() === 0)

/** With how many random cases a test tries a property. */
export const runsToTry = (all: number): number => Math.ceil(all / every())
