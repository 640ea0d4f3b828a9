import { mapPooled } from '../../runtime/map-pooled.ts'
import { TaskFailed } from '../../task/run.ts'
import type { ChunkResult } from '../chunk/chunk-result.ts'
import type { TableContext } from '../context.ts'
import { chunkResultKey, type StoredPlan } from '../plan/plan.ts'

const maxReads = 20

/** The results of all chunks of a plan, in their order. `names` are what the chunks returned. */
export async function readResults(
  { tables }: Pick<TableContext, 'tables'>,
  plan: StoredPlan,
  names: readonly string[],
): Promise<readonly ChunkResult[]> {
  const results = await mapPooled(names, maxReads, async (name) => {
    const result = await tables.readJson<ChunkResult>(chunkResultKey(plan, name))
    if (!result) throw new TaskFailed(`The stored result of the chunk ${name} is missing.`)
    return result
  })
  const sorted = results.toSorted((one, other) => one.chunk - other.chunk)
  if (sorted.length !== plan.chunks || sorted.some(({ chunk }, index) => chunk !== index))
    throw new TaskFailed(
      `The table needs ${plan.chunks} chunks, but only these were written: ${names.join(', ')}.`,
    )
  return sorted
}

/** The sum of what the chunks counted for each column. */
export function sumRejected(results: readonly ChunkResult[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const { rejected } of results)
    for (const [name, count] of Object.entries(rejected)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries(sums)
}
