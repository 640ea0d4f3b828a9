import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChunkResult } from '../../functions/tables/chunk/write-chunk.ts'
import { type ChunkPlan, chunkKey, chunkResultKey, type PlanName } from '../../functions/tables/plan/plan.ts'
import type { ChunkOutcome, PlannedTable, TableResult } from '../../functions/tables/result.ts'
import type { ConfigurationInput } from '../../lib/config.ts'
import { type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { tablePrefix } from '../../stored/tables/table.ts'
import { lambdaOptions } from '../lambda-options.ts'
import type { Figures } from '../measured/report.ts'
import { entity } from '../names.ts'
import { measure, startServer } from '../processes.ts'
import { baseRun, publishSnapshot } from '../snapshots.ts'
import { functionEnvironment } from '../worker-environment.ts'

/** With this much memory a function has one processor. */
export const memoryMegabytes = 1769
const runId = '20261103T000000000Z-000000000000'

type Entity = NonNullable<ConfigurationInput['entities']>[number]

export interface TableTasks {
  readonly chunks: number
  /** Of all tasks. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
  readonly commitSeconds: number
}

/**
 * Makes a table with the built function, each task in a process of its own. The snapshot has the pages of the base
 * several times. With `written`, only this many chunks and the last one, which may be smaller, are written, and what the
 * first one has stored is copied for the others.
 */
export async function makeTable(
  folder: string,
  columns: NonNullable<Entity['columns']>,
  { times, written = Number.POSITIVE_INFINITY }: { readonly times: number; readonly written?: number },
): Promise<TableTasks> {
  rmSync(join(folder, tablePrefix(entity)), { recursive: true, force: true })
  publishRepeated(folder, times)
  await using aws = await startServer<Record<string, string>>('files', { folder })
  const entities = [{ name: entity, schedule: 'rate(1 day)' as const, columns }]
  using deployment = functionEnvironment('http://127.0.0.1', aws.ready, { entities })
  const tasks: Figures[] = []
  const run = async <T>(event: object): Promise<T> => {
    const task = await measure<Figures & { result: T }>('task', {
      arguments: ['tables', JSON.stringify(event)],
      variables: deployment.variables,
      nodeOptions: lambdaOptions(memoryMegabytes),
    })
    tasks.push(task)
    return task.result
  }
  const { plan, chunks } = await run<PlannedTable>({ task: 'plan-table', run: { entity, runId } })
  const name = { entity, runId, plan }
  const outcomes: ChunkOutcome[] = []
  for (const chunk of chunks) {
    const [first] = outcomes
    outcomes.push(
      first && chunk >= written && chunk !== chunks.at(-1)
        ? copyChunk(folder, { ...name, chunk, from: first })
        : await run<ChunkOutcome>({ task: 'write-chunk', ...name, chunk }),
    )
  }
  const committed = await run<TableResult>({ task: 'commit-table', ...name, written: outcomes })
  if (committed.status !== 'published')
    throw new Error(`The table was not published: ${JSON.stringify(committed)}`)
  return {
    chunks: chunks.length,
    cpuSeconds: tasks.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakMegabytes: Math.max(...tasks.map(({ peakMegabytes }) => peakMegabytes)),
    commitSeconds: tasks.at(-1)?.seconds ?? Number.NaN,
  }
}

/** Publishes a snapshot that has the pages of the base several times. Their ids count as different ones. */
function publishRepeated(folder: string, times: number): void {
  const base = JSON.parse(readFileSync(join(folder, manifestKey(entity, baseRun)), 'utf8')) as Manifest
  const documents = base.documents * times
  const pages = Array.from({ length: times }, () => base.pages).flat()
  const manifest: Manifest = {
    ...base,
    runId,
    documents,
    uniqueIds: documents,
    reportedTotal: documents,
    pages,
  }
  const path = join(folder, manifestKey(entity, runId))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(manifest))
  publishSnapshot(folder, runId)
}

/** Stores the result of a chunk for another one. */
function copyChunk(
  folder: string,
  { chunk, from, ...plan }: PlanName & { readonly chunk: number; readonly from: ChunkOutcome },
): ChunkOutcome {
  if (from.status === 'failed') throw new Error(from.reason)
  const stored = readFileSync(join(folder, chunkResultKey(plan, from.name)), 'utf8')
  const { pages } = JSON.parse(readFileSync(join(folder, chunkKey(plan, chunk)), 'utf8')) as ChunkPlan
  const rows = pages.reduce((sum, { documents }) => sum + documents, 0)
  const result: ChunkResult = { ...(JSON.parse(stored) as ChunkResult), chunk, rows }
  const name = `${chunk}-copy`
  writeFileSync(join(folder, chunkResultKey(plan, name)), JSON.stringify(result))
  return { status: 'written', name }
}
