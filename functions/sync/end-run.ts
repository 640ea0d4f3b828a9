import { describeError } from '../log.ts'
import { metricFields } from '../metrics.ts'
import type { Hold } from './hold.ts'
import { progressOf } from './page.ts'
import type { EndedStatus, Run } from './run.ts'
import { answerOf, type StepAnswer } from './step-answer.ts'
import type { StepWorld } from './step-world.ts'

/** Ends the run, lets go of it and says so. The snapshot is published by then, or will never be. */
export async function endRun(
  world: StepWorld,
  hold: Hold,
  end: Partial<Run> & { status: EndedStatus },
): Promise<StepAnswer> {
  // A publication knows how far the run came.
  const progress =
    end.pages === undefined
      ? progressOf(await world.state.lastPage(hold.run.runId, hold.run.attempt))
      : undefined
  await hold.save({ endedAt: new Date(world.now()).toISOString(), ...progress, ...end })
  await hold.release()
  await sayEnd(world, hold.run)
  return answerOf(hold.run)
}

/** Tells the log how a run ended, and whoever waits for a copy that it was not published. */
export async function sayEnd(world: Pick<StepWorld, 'log' | 'announce' | 'now'>, run: Run): Promise<void> {
  logEnd(world, run)
  if (run.status === 'refused' || run.status === 'failed') await announceEnd(world, run)
}

/** One line a run, which is the row of its entity on the dashboard. */
function logEnd({ log, now }: Pick<StepWorld, 'log' | 'now'>, run: Run): void {
  const { status, reason = '', attempt, pages, documents, uniqueIds, total, proof } = run
  const durationSeconds = (Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt)) / 1000
  const counted = { attempt, pages, documents, uniqueIds, total, proof, durationSeconds }
  const metrics = {
    ...(status === 'published' && { RunsPublished: 1 }),
    ...(status === 'refused' && { RunsRefused: 1 }),
    ...(status === 'failed' && { RunsFailed: 1 }),
    RunSeconds: durationSeconds,
  }
  log(status === 'published' ? 'INFO' : 'WARN', 'A run has ended.', {
    ...identity(run),
    status,
    reason,
    ...counted,
    ...metricFields(metrics, { Entity: run.entity }, now()),
  })
}

async function announceEnd({ announce, log }: Pick<StepWorld, 'log' | 'announce'>, run: Run): Promise<void> {
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
