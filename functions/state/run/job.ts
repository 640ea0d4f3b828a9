import { type ActiveIncrement, newIncrement } from './increment-run.ts'
import { type ActiveRun, type FullRunStart, newRepublication, newRun } from './run.ts'

/** What a run is started for. */
export type StartedJob = (SnapshotJob & { readonly acceptDeletes: boolean }) | IncrementJob

/** What publishes a snapshot. */
export type SnapshotJob = FullJob | RepublishJob

/** Scrolls the whole entity. */
export interface FullJob {
  readonly kind: 'full'
  readonly acceptShrink: boolean
}

/** Publishes the snapshot of the run `from` again. */
export interface RepublishJob {
  readonly kind: 'republish'
  readonly from: string
  readonly acceptShrink: boolean
}

/** Asks for what changed. */
export interface IncrementJob {
  readonly kind: 'increment'
}

type RunBeginning = Omit<FullRunStart, 'acceptShrink'>

/** The run of a job before its first step. */
export function runOf(job: SnapshotJob, beginning: RunBeginning): ActiveRun
export function runOf(job: SnapshotJob | IncrementJob, beginning: RunBeginning): ActiveRun | ActiveIncrement
export function runOf(job: SnapshotJob | IncrementJob, { repeatOf, ...start }: RunBeginning) {
  switch (job.kind) {
    case 'full':
      return newRun({ ...start, acceptShrink: job.acceptShrink, repeatOf })
    case 'republish':
      return newRepublication({ ...start, acceptShrink: job.acceptShrink, republishedFrom: job.from })
    case 'increment':
      return newIncrement(start)
  }
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
