import { hasEnded, type Run, type RunStatus } from './run.ts'

type AnyRun = Pick<Run, 'status'> & { readonly cause?: unknown }
/** The members of a union of runs that have ended; of a view of runs, the view. */
type Ended<R extends AnyRun> = [Extract<R, { readonly endedAt: string }>] extends [never]
  ? R
  : Extract<R, { readonly endedAt: string }>

/** A skipped run scrolls nothing, and a person has cancelled a cancelled one. */
const uncounted: ReadonlySet<RunStatus> = new Set(['skipped', 'cancelled'])

/** The runs that ended and count. Without credentials each run is skipped, which counts as a failure. */
export const countedEnds = <R extends AnyRun>(runs: readonly R[]): Ended<R>[] =>
  runs.filter(
    (run): run is R & Ended<R> =>
      hasEnded({ status: run.status }) &&
      (!uncounted.has(run.status) || (run.status === 'skipped' && run.cause === 'credentials')),
  )

/** The last run that counts, of runs with the newest first: one that merely begins changes nothing. */
export const lastEnded = <R extends AnyRun>(runs: readonly R[]): Ended<R> | undefined => countedEnds(runs)[0]
