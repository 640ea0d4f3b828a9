import type { ProblemEvent } from '../../stored/events.ts'
import { type FoundProblem, nameOfProblem, type Problem, withoutStep } from './problem.ts'

/** A problem that a look has found, from the look that found it first until one that no longer does. */
export interface OpenProblem extends Problem {
  /** Shared by the events of its opening and its end. */
  readonly id: string
}

/** A problem as this look found it. What shows no beginning began when a look first found it. `at` is ISO 8601. */
export function opened(
  problem: FoundProblem,
  last: { readonly problems: readonly OpenProblem[] },
  at: string,
): OpenProblem {
  const same = last.problems.find((one) => nameOfProblem(one) === nameOfProblem(problem))
  const since = problem.since ?? same?.since ?? at
  const id = same?.id ?? [problem.kind, problem.entity, at].filter(Boolean).join('/')
  return { ...withoutStep(problem), since, id }
}

/** What has changed between two looks: a note that becomes a problem opens again. Readers know a problem by its id. */
export function problemEvents(
  before: readonly OpenProblem[],
  after: readonly OpenProblem[],
): readonly ProblemEvent[] {
  const isNew = (problem: OpenProblem) => {
    const same = before.find(({ id }) => id === problem.id)
    return !same || (same.level === 'note' && problem.level === 'problem')
  }
  return [
    ...before
      .filter((problem) => !after.some(({ id }) => id === problem.id))
      .map((detail) => ({ type: 'Problem Resolved', detail }) as const),
    ...after.filter(isNew).map((detail) => ({ type: 'Problem Opened', detail }) as const),
  ]
}
