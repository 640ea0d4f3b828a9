import type { AcceptedGuard, ActiveRun, FullRunStart } from './run.ts'
import { acceptedGuard, newRepublication, newRun } from './run.ts'

/** What a run is started for. Without `acceptShrink` and `acceptDeletes` the guards decide. */
export type StartedJob = SnapshotJob | IncrementJob

/** What publishes a snapshot. */
export type SnapshotJob = FullJob | RepublishJob

/** Scrolls the whole entity. */
export interface FullJob {
  readonly kind: 'full'
  readonly acceptShrink?: boolean
  readonly acceptDeletes?: boolean
}

/** Publishes the snapshot of the run `from` again. */
export interface RepublishJob {
  readonly kind: 'republish'
  readonly from: string
  readonly acceptShrink?: boolean
  readonly acceptDeletes?: boolean
}

/** Asks for what changed. */
export interface IncrementJob {
  readonly kind: 'increment'
}

/** A run that publishes a snapshot before its first step. */
export function runOf(job: SnapshotJob, start: Omit<FullRunStart, 'acceptShrink'>): ActiveRun {
  const { acceptShrink = false, acceptDeletes } = job
  const run =
    job.kind === 'full'
      ? newRun({ ...start, acceptShrink })
      : newRepublication({ ...start, acceptShrink, republishedFrom: job.from })
  return acceptDeletes ? { ...run, acceptDeletes } : run
}

/** The members of an execution's input that name the job. */
export function inputOf(job: StartedJob) {
  if (job.kind === 'increment') return { increment: true }
  return {
    ...(job.acceptShrink && { acceptShrink: true }),
    ...(job.acceptDeletes && { acceptDeletes: true }),
    ...(job.kind === 'republish' && { republish: { runId: job.from } }),
  }
}

/**
 * The input of an execution that publishes what a guard refused. Its text depends on nothing else, since a start is
 * repeated with the same text.
 */
export const acceptanceInput = (
  entity: string,
  accepted: AcceptedGuard & { readonly runId: string; readonly by: string },
) => ({
  entity,
  accept: { runId: accepted.runId, ...acceptedGuard(accepted.guard, accepted), by: accepted.by },
})
