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

/** A problem before it has its kind and its entity. */
export type Found = Omit<Problem, 'kind' | 'entity'>

/** What stays the same while a problem lasts: its kind, and the entity that it concerns. */
export const nameOfProblem = ({ kind, entity }: Pick<Problem, 'kind' | 'entity'>): string =>
  entity === undefined ? kind : `${kind} ${entity}`
