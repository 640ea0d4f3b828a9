import type { ProblemEvent } from '../../stored/events.ts'
import type { ProblemStep } from './steps.ts'

/** What needs a person (`problem`), or what a person may want to know (`note`). */
export type Problem = Omit<ProblemEvent['detail'], 'id'>

/** A problem as a look has just found it. The command is that of the step. */
export interface FoundProblem extends Problem {
  readonly step?: ProblemStep
}

/** A problem before it has its kind, its entity and its command. */
export type Found = Omit<FoundProblem, 'kind' | 'entity' | 'command'>

/** As other programs see it. */
export const withoutStep = <P extends FoundProblem>({ step: _step, ...problem }: P): Omit<P, 'step'> =>
  problem

/** What stays the same while a problem lasts: its kind, and the entity that it concerns. */
export const nameOfProblem = ({ kind, entity }: Pick<Problem, 'kind' | 'entity'>): string =>
  entity === undefined ? kind : `${kind} ${entity}`
