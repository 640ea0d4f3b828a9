import type { ProblemStep } from './steps.ts'

/** What needs a person (`problem`), or what a person may want to know (`note`). */
export interface Problem {
  readonly kind: string
  readonly level: 'problem' | 'note'
  /** Absent if it concerns the deployment as a whole. */
  readonly entity?: string
  /** When it began, in ISO 8601; null if nothing shows it. */
  readonly since: string | null
  /** What is known, in one or two sentences with numbers. */
  readonly evidence: string
  readonly action: string
  /** The arguments after `longshore`; absent where no command helps. */
  readonly command?: string
}

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
