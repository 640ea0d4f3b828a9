import { type Run, runIdPattern } from '../../stored/run/run.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import { ProblemError } from '../http/problem.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** A run of an entity. Throws `ProblemError` if there is none. */
export async function existingRun(
  state: Pick<StateStore, 'findRun'>,
  entity: EntitySettings,
  runId: string,
): Promise<Run> {
  // A malformed id may be longer than a key of the table can be.
  const run = runIdPattern.test(runId) ? await state.findRun(entity.name, runId) : undefined
  if (run) return run
  throw new ProblemError('not-found', 'This run does not exist. Runs are kept for 30 days after they end.')
}
