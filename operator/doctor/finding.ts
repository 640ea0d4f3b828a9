import type { Found, FoundProblem } from '../../functions/problems/problem.ts'
import type { ProblemKind } from '../../functions/problems/problem-table.ts'
import { problemOf } from '../../functions/problems/problems.ts'

/** What a check found in order (`ok`), may be of interest (`note`), or could not look at (`unknown`). */
export interface Finding {
  readonly level: 'ok' | 'note' | 'unknown'
  readonly about:
    | 'deployment'
    | 'drift'
    | 'code'
    | 'credentials'
    | 'alerts'
    | 'upstream'
    | 'schedules'
    | 'encryption'
    | 'entities'
    /** Only with --live. */
    | 'api'
    | 'tables'
    | 'runs'
  readonly text: string
  readonly fix?: string
}

/** A check finds problems, which `status` shows in the same form, and says what is all right. */
export type Checked =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'problem'; readonly problem: FoundProblem }

/** Everything that the doctor found. */
export interface Inspection {
  readonly problems: readonly FoundProblem[]
  readonly findings: readonly Finding[]
  /** Epoch milliseconds by AWS's clock. */
  readonly now: number
}

type About = Finding['about']

const finding = (found: Finding): Checked => ({ kind: 'finding', finding: found })
export const ok = (about: About, text: string) => finding({ level: 'ok', about, text })
export const note = (about: About, text: string, fix?: string) =>
  finding({ level: 'note', about, text, ...(fix !== undefined && { fix }) })
export const unknown = (about: About, text: string, fix: string) =>
  finding({ level: 'unknown', about, text, fix })

/** A problem that only the doctor looks for. Nothing shows when it began. */
export const problem = (
  kind: ProblemKind,
  { entity, ...found }: Omit<Found, 'level' | 'since'> & { readonly entity?: string },
): Checked => ({
  kind: 'problem',
  problem: problemOf(kind, { level: 'problem', since: null, ...found }, entity),
})

/** The line that executes a command for the inspected deployment or local Longshore. */
export interface LongshoreFixes {
  readonly longshore: (args: string) => string
}

export interface FixCommands extends LongshoreFixes {
  readonly deploy: string
  /** For an account and region in which no stack exists. */
  readonly firstDeploy: string
}
