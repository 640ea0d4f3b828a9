import { describeError } from '../../runtime/log.ts'
import { metricFields } from '../../runtime/metrics.ts'
import type { Progress } from '../../state/pages/page.ts'
import { positionsOf, progressOver } from '../../state/run/attempts.ts'
import type { ActiveRun, EndedRun, UnpublishedRun } from '../../state/run/run.ts'
import { failed, skipped, withPageSize } from '../../state/run/run-changes.ts'
import type { StepContext } from '../context.ts'
import { endResponse, type StepResponse } from '../response.ts'
import { rememberPageSize } from './page-size.ts'
import type { RunSession } from './session.ts'

type EndContext = Pick<StepContext, 'state' | 'now' | 'log' | 'publishEvent'>

export function failRun(context: EndContext, session: RunSession, reason: string): Promise<StepResponse> {
  return endUnpublished(context, session, (run, progress) =>
    failed(run, { reason, progress, now: context.now() }),
  )
}

export function skipRun(context: EndContext, session: RunSession, reason: string): Promise<StepResponse> {
  return endUnpublished(context, session, (run, progress) =>
    skipped(run, { reason, progress, now: context.now() }),
  )
}

async function endUnpublished(
  context: EndContext,
  session: RunSession,
  end: (run: ActiveRun, progress: Progress) => UnpublishedRun,
): Promise<StepResponse> {
  const { run } = session
  const positions = await positionsOf(context.state, run)
  const pageSizes = positions.flatMap((position) => position?.pageSize ?? [])
  const scrolled = pageSizes.length > 0 ? withPageSize(run, Math.min(...pageSizes)) : run
  return endRun(context, session, end(scrolled, progressOver(run, positions)))
}

/** Ends the run, releases its slot and lease, and reports it. */
export async function endRun(
  context: EndContext,
  session: RunSession,
  ended: EndedRun,
): Promise<StepResponse> {
  await rememberPageSize(context.state, session, ended)
  await session.end(ended)
  await reportEnd(context, ended)
  return endResponse(ended)
}

/** Logs how a run ended, and sends an event if it should have published a snapshot and did not. */
export async function reportEnd(
  context: Pick<StepContext, 'log' | 'publishEvent' | 'now'>,
  run: EndedRun,
): Promise<void> {
  logEnd(context, run)
  if (run.status === 'refused' || run.status === 'failed') await publishEndEvent(context, run)
}

/** One line per run. It is the entity's row on the dashboard. */
function logEnd({ log, now }: Pick<StepContext, 'log' | 'now'>, run: EndedRun): void {
  const { entity, runId, status, attempt, pages, documents, total } = run
  const durationSeconds = (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000
  const details =
    run.status === 'published'
      ? { reason: '', uniqueIds: run.uniqueIds, proof: run.proof }
      : { reason: run.reason }
  const metrics = {
    ...(status === 'published' && { RunsPublished: 1, SnapshotDocuments: documents }),
    ...(status === 'refused' && { RunsRefused: 1 }),
    ...(status === 'failed' && { RunsFailed: 1 }),
    RunSeconds: durationSeconds,
  }
  log(status === 'published' ? 'INFO' : 'WARN', 'run ended', {
    entity,
    runId,
    status,
    attempt,
    pages,
    documents,
    total,
    ...details,
    durationSeconds,
    ...metricFields(metrics, { Entity: entity }, now()),
  })
}

async function publishEndEvent(
  { publishEvent, log }: Pick<StepContext, 'log' | 'publishEvent'>,
  { entity, runId, status, reason }: UnpublishedRun,
): Promise<void> {
  const type = status === 'refused' ? 'Snapshot Refused' : 'Sync Failed'
  try {
    await publishEvent({ type, detail: { entity, runId, reason } })
  } catch (error) {
    log('ERROR', 'event not sent', { entity, runId, type, error: describeError(error) })
  }
}
