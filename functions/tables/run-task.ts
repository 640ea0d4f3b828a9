import { metricFields } from '../runtime/metrics.ts'
import { sendEvent } from '../state/events.ts'
import { writeChunk } from './chunk/write-chunk.ts'
import { cleanUp } from './clean-up/clean-up.ts'
import { commitTable } from './commit/commit-table.ts'
import { finishTable } from './commit/finish-table.ts'
import type { TableContext, TableSettings } from './context.ts'
import { TableFailed } from './failure.ts'
import type { PlanName } from './plan/plan.ts'
import { planTable } from './plan/plan-table.ts'
import type { TableTask } from './request.ts'
import type { ChunkOutcome, TableResult } from './result.ts'

export type EntityTask = Exclude<TableTask, { task: 'erase' }>

/**
 * Carries out a task for an entity, logs how it ended, and sends an event if the table failed. Rejects on errors that a
 * retry may resolve, such as errors of AWS.
 */
export async function runTask(
  context: TableContext,
  entities: readonly TableSettings[],
  task: EntityTask,
): Promise<TableResult | ChunkOutcome> {
  const settings = entities.find(({ name }) => name === task.entity)
  if (!settings) throw new Error(`The entity ${task.entity} is not configured.`)
  if (task.task === 'write-chunk') return chunkOutcome(context, task)
  const result = await tableOrFailure(context, settings, task)
  report(context, result)
  if (result.status !== 'failed') return result
  const { entity, runId, reason } = result
  await context.tables.writeFailure(entity, {
    runId,
    reason,
    failedAt: new Date(context.now()).toISOString(),
  })
  await sendEvent(context, { type: 'Table Failed', detail: { entity, runId, reason } })
  // Otherwise the files of failed attempts would pile up until a table is committed.
  await cleanUp(context, entity)
  return result
}

type PlannedTask = Exclude<EntityTask, { task: 'write-chunk' }>

async function tableOrFailure(
  context: TableContext,
  settings: TableSettings,
  task: PlannedTask,
): Promise<TableResult> {
  try {
    return await table(context, settings, task)
  } catch (error) {
    if (!(error instanceof TableFailed)) throw error
    return {
      status: 'failed',
      entity: task.entity,
      runId: await runOfTask(context, task),
      reason: error.message,
    }
  }
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
    if (chunk.status === 'failed') throw new TableFailed(chunk.reason)
    return chunk.name
  })
}

/** A chunk that cannot succeed is not retried: the commit learns about it and fails the table. */
async function chunkOutcome(
  context: TableContext,
  { plan, chunk }: { readonly plan: PlanName; readonly chunk: number },
): Promise<ChunkOutcome> {
  try {
    return { status: 'written', name: await writeChunk(context, plan, chunk) }
  } catch (error) {
    if (!(error instanceof TableFailed)) throw error
    return { status: 'failed', reason: error.message }
  }
}

/** A task that stopped after the commit of its run has not failed: the table is published. */
async function recordFailure(
  context: TableContext,
  settings: TableSettings,
  { entity, runId, reason }: Extract<TableTask, { task: 'record-table-failure' }>,
): Promise<TableResult> {
  const latest = settings.columns && (await context.tables.readLatest(entity))
  if (!latest || latest.value.runId < runId) throw new TableFailed(reason)
  await finishTable(context, settings, latest)
  return { status: 'up-to-date', entity, runId: latest.value.runId }
}

/** The run whose table failed. */
async function runOfTask({ snapshots }: TableContext, task: PlannedTask): Promise<string> {
  if (task.task === 'commit-table') return task.plan.runId
  if (task.task === 'record-table-failure') return task.runId
  return (await snapshots.readLatest(task.entity))?.value.runId ?? ''
}

/** One line for each table that was planned, committed or not made. */
function report({ log, now }: TableContext, result: TableResult): void {
  const { status, entity } = result
  const metrics = {
    ...(status === 'published' && { TablesPublished: 1 }),
    ...(status === 'failed' && { TablesFailed: 1 }),
  }
  const { chunks, ...fields } = status === 'planned' ? result : { ...result, chunks: undefined }
  log(status === 'failed' ? 'WARN' : 'INFO', status === 'planned' ? 'table planned' : 'table ended', {
    ...fields,
    ...(chunks && { chunks: chunks.length }),
    ...metricFields(metrics, { Entity: entity }, now()),
  })
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
  throw new TableFailed(
    'Other commits of the entity were always faster. The next publication builds the table.',
  )
}
