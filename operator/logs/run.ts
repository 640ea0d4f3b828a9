import { ProblemError } from '../../functions/http/problem.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import type { Configuration } from '../../lib/config.ts'
import type { Syncs } from '../sync/syncs.ts'
import type { RunPeriod } from './source.ts'

const maxConcurrentReads = 24

/** The run with this id, or the running or else the last run of the entity with this name. */
export async function findRun(
  word: string,
  { entities }: Configuration,
  syncs: Pick<Syncs, 'read' | 'readRun'>,
): Promise<RunView | undefined> {
  if (entities.some(({ name }) => name === word)) {
    const { running, runs } = await syncs.read(word)
    return running ?? runs[0]
  }
  const found = await mapPooled(entities, maxConcurrentReads, ({ name }) => runOf(name, word, syncs))
  return found.find((run) => run !== undefined)
}

async function runOf(
  entity: string,
  runId: string,
  syncs: Pick<Syncs, 'readRun'>,
): Promise<RunView | undefined> {
  try {
    return await syncs.readRun(entity, runId)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The request that starts a run is logged before it, and clocks differ. */
const beforeStartMs = 60_000
/** A comparison follows a run and takes at most as long as a Lambda function. */
const afterEndMs = 20 * 60_000

/** When lines of a run may have been logged. */
export function periodOf(
  { runId, startedAt, endedAt }: Pick<RunView, 'runId' | 'startedAt' | 'endedAt'>,
  now: number,
): RunPeriod {
  const from = Date.parse(startedAt) - beforeStartMs
  const to = endedAt === null ? now : Date.parse(endedAt) + afterEndMs
  return { runId, from, to }
}
