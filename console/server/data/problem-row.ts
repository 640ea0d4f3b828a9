import type { ShownProblem } from '../../../functions/problems/problems.ts'
import type { ProblemRow } from '../../contract/overview.ts'

export type CommandLine = (args: string) => string

/** `command`: completes the arguments of a command to a command line for this deployment. */
export const problemRow =
  (command: CommandLine) =>
  ({ kind, level, entities, since, evidence, action, command: args, step }: ShownProblem): ProblemRow => ({
    kind,
    level,
    entities,
    since,
    evidence,
    action,
    command: args === undefined ? null : command(args),
    step: step ?? null,
  })
