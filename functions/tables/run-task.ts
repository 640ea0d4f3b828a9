import { configuredEntity } from '../http/result.ts'
import { carryOutTask, resultOf, TaskFailed } from '../task/run.ts'
import { writeChunk } from './chunk/write-chunk.ts'
import { commitTable } from './commit/commit-table.ts'
import type { TableContext, TableSettings } from './context.ts'
import { cleanUpTable, finishTable } from './finish-table.ts'
import { planTable } from './plan/plan-table.ts'
import type { TableTask } from './request.ts'
import { type ChunkOutcome, type TableResult, tableEnding } from './result.ts'

/** Carries out a task for an entity, logs how it ended, and sends an event if the table failed. */
export async function runTableTask(
  context: TableContext,
  entities: readonly TableSettings[],
  task: TableTask,
): Promise<TableResult | ChunkOutcome> {
  const settings = configuredEntity(entities, task.entity)
  if (task.task === 'write-chunk') return chunkOutcome(context, task)
  const result = await carryOutTask(context, {
    run: () => table(context, settings, task),
    failed: ({ message }) => failure(context, task, message),
    ending: tableEnding,
  })
  // Otherwise the files of failed attempts would pile up until a table is committed.
  if (result.status === 'failed') await cleanUpTable(context, task.entity)
  return result
}

type PlannedTask = Exclude<TableTask, { task: 'write-chunk' }>

async function failure(context: TableContext, task: PlannedTask, reason: string): Promise<TableResult> {
  const { entity } = task
  const { tables, now } = context
  const [runId, table, before] = await Promise.all([
    runOfTask(context, task),
    tables.readLatest(entity),
    tables.readFailure(entity),
  ])
  const failedAt = new Date(now()).toISOString()
  const isFirst = !before || before.runId <= (table?.value.runId ?? '')
  const since = isFirst ? failedAt : (before.since ?? before.failedAt)
  await tables.writeFailure(entity, { runId, reason, failedAt, since })
  return { status: 'failed', entity, runId, reason }
}

function table(context: TableContext, settings: TableSettings, task: PlannedTask): Promise<TableResult> {
  switch (task.task) {
    case 'make-table':
      return makeTable(context, settings)
    case 'plan-table':
      return planTable(context, settings)
    case 'commit-table':
      return commitTable(context, settings, { plan: task.plan, names: namesOf(task.written) })
    case 'record-table-failure':
      return recordFailure(context, settings, task)
  }
}

/** Throws what the first chunk failed for. */
function namesOf(written: readonly ChunkOutcome[]): readonly string[] {
  return written.map((chunk) => {
    if (chunk.status === 'failed') throw new TaskFailed(chunk.reason)
    return chunk.name
  })
}

/** A chunk that cannot succeed is not retried: the commit learns about it and fails the table. */
function chunkOutcome(
  context: TableContext,
  { plan, chunk }: Extract<TableTask, { task: 'write-chunk' }>,
): Promise<ChunkOutcome> {
  return resultOf<ChunkOutcome>(
    async () => ({ status: 'written', name: await writeChunk(context, plan, chunk) }),
    ({ message: reason }) => ({ status: 'failed', reason }),
  )
}

/** A task that stopped after the commit of its run has not failed: the table is published. */
async function recordFailure(
  context: TableContext,
  settings: TableSettings,
  { entity, runId, reason }: Extract<TableTask, { task: 'record-table-failure' }>,
): Promise<TableResult> {
  const latest = settings.columns && (await context.tables.readLatest(entity))
  if (!latest || latest.value.runId < runId) throw new TaskFailed(reason)
  await finishTable(context, settings, latest)
  return { status: 'up-to-date', entity, runId: latest.value.runId }
}

/** The run whose table failed. */
async function runOfTask({ snapshots }: TableContext, task: PlannedTask): Promise<string> {
  if (task.task === 'commit-table') return task.plan.runId
  if (task.task === 'record-table-failure') return task.runId
  return (await snapshots.readLatest(task.entity))?.value.runId ?? ''
}

/** Each further round means that another commit came first. */
const maxRounds = 5

/** Makes the table of the published snapshot in one invocation, chunk after chunk. */
async function makeTable(context: TableContext, settings: TableSettings): Promise<TableResult> {
  for (let round = 1; round <= maxRounds; round++) {
    const plan = await planTable(context, settings)
    if (plan.status !== 'planned') return plan
    const names: string[] = []
    for (const chunk of plan.chunks) names.push(await writeChunk(context, plan, chunk))
    const result = await commitTable(context, settings, { plan, names })
    if (result.status !== 'outdated') return result
  }
  throw new TaskFailed(
    'Other commits of the entity were always faster. The next publication builds the table.',
  )
}
