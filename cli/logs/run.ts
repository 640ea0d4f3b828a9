import { ProblemError } from '../../functions/http/problem.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import type { Configuration } from '../../lib/config.ts'
import type { Syncs } from '../syncs.ts'

/** The run with this id, or the running or else the last run of the entity with this name. */
export async function findRun(
  word: string,
  { entities }: Configuration,
  syncs: Syncs,
): Promise<RunView | undefined> {
  if (entities.some(({ name }) => name === word)) {
    const { running, runs } = await syncs.read(word)
    return running ?? runs[0]
  }
  const found = await Promise.all(entities.map(({ name }) => runOf(name, word, syncs)))
  return found.find((run) => run !== undefined)
}

async function runOf(entity: string, runId: string, syncs: Syncs): Promise<RunView | undefined> {
  try {
    return await syncs.readRun(entity, runId)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}
