import { type ActiveRun, type FullRunStart, newRepublication, newRun } from './run.ts'

/** What a run is started for. Without `acceptShrink` and `acceptDeletes` the guards decide. */
export type StartedJob = (SnapshotJob & { readonly acceptDeletes?: boolean }) | IncrementJob

/** What publishes a snapshot. */
export type SnapshotJob = FullJob | RepublishJob

/** Scrolls the whole entity. */
export interface FullJob {
  readonly kind: 'full'
  readonly acceptShrink?: boolean
}

/** Publishes the snapshot of the run `from` again. */
export interface RepublishJob {
  readonly kind: 'republish'
  readonly from: string
  readonly acceptShrink?: boolean
}

/** Asks for what changed. */
export interface IncrementJob {
  readonly kind: 'increment'
}

/** A run that publishes a snapshot before its first step. */
export function runOf(job: SnapshotJob, start: Omit<FullRunStart, 'acceptShrink'>): ActiveRun {
  const { acceptShrink = false } = job
  if (job.kind === 'full') return newRun({ ...start, acceptShrink })
  return newRepublication({ ...start, acceptShrink, republishedFrom: job.from })
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
