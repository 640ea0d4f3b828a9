import { describeError } from '../../runtime/log.ts'
import { metricFields } from '../../runtime/metrics.ts'
import { progressOf } from '../../state/page.ts'
import type { EndedStatus, Run } from '../../state/run.ts'
import type { StepContext } from '../context.ts'
import { responseOf, type StepResponse } from '../response.ts'
import type { RunSession } from './session.ts'

/** Ends the run, lets go of it and says so. The snapshot is published by then, or will never be. */
export async function endRun(
  world: StepContext,
  session: RunSession,
  end: Partial<Run> & { status: EndedStatus },
): Promise<StepResponse> {
  // A publication knows how far the run came.
  const progress =
    end.pages === undefined
      ? progressOf(await world.state.lastPage(session.run.runId, session.run.attempt))
      : undefined
  await session.save({ endedAt: new Date(world.now()).toISOString(), ...progress, ...end })
  await session.release()
  await sayEnd(world, session.run)
  return responseOf(session.run)
}

/** Tells the log how a run ended, and whoever waits for a copy that it was not published. */
export async function sayEnd(world: Pick<StepContext, 'log' | 'announce' | 'now'>, run: Run): Promise<void> {
  logEnd(world, run)
  if (run.status === 'refused' || run.status === 'failed') await publishEndEvent(world, run)
}

/** One line a run, which is the row of its entity on the dashboard. */
function logEnd({ log, now }: Pick<StepContext, 'log' | 'now'>, run: Run): void {
  const { status, reason = '', attempt, pages, documents, uniqueIds, total, proof } = run
  const durationSeconds = (Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt)) / 1000
  const counted = { attempt, pages, documents, uniqueIds, total, proof, durationSeconds }
  const metrics = {
    ...(status === 'published' && { RunsPublished: 1, SnapshotDocuments: documents }),
    ...(status === 'refused' && { RunsRefused: 1 }),
    ...(status === 'failed' && { RunsFailed: 1 }),
    RunSeconds: durationSeconds,
  }
  log(status === 'published' ? 'INFO' : 'WARN', 'run ended', {
    ...identity(run),
    status,
    reason,
    ...counted,
    ...metricFields(metrics, { Entity: run.entity }, now()),
  })
}

async function publishEndEvent(
  { announce, log }: Pick<StepContext, 'log' | 'announce'>,
  run: Run,
): Promise<void> {
  const { reason = '' } = run
  const type = run.status === 'refused' ? ('Snapshot Refused' as const) : ('Sync Failed' as const)
  try {
    await announce({ type, detail: { ...identity(run), reason } })
  } catch (error) {
    log('ERROR', 'The event of a run that ended could not be sent.', {
      ...identity(run),
      error: describeError(error),
    })
  }
}

function identity({ entity, runId }: Run) {
  return { entity, runId }
}
