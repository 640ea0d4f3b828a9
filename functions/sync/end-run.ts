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
  const { run } = hold
  const { status, reason = '' } = run
  logEnd(world, run)
  if (status === 'refused' || status === 'failed') await announceEnd(world, run, reason)
  return answerOf(run)
}

/** One line a run, which is the row of its entity on the dashboard. */
function logEnd({ log, now }: StepWorld, run: Run): void {
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

/** Tells whoever waits for a copy that it was not published. */
export async function announceEnd({ announce, log }: StepWorld, run: Run, reason: string): Promise<void> {
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
