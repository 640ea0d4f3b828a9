import type { RunResult } from '../../../stored/run/run.ts'
import type { RunEnd } from '../../../stored/run/run-changes.ts'
import type { Busy, CheckRequest, CheckResult } from '../../../stored/snapshots/publication.ts'
import type { AttemptContext } from '../context.ts'

export interface Asking {
  /** Makes sure that this worker still has the run. Throws `LeaseLost`. */
  renew(): Promise<void>
  /** True if another range has stopped the run; absent where no range is scrolled. */
  readonly stopRequested?: () => boolean
}

/** What the publisher has decided, or why it has not yet. */
export type Asked<Decided> = Decided | NotYet

export type NotYet =
  /** The worker's time is up. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }

/** A check responds sooner, and the lease lasts longer. */
const maxMs = 240_000
/** The worker's last seconds, in which it hands off. */
const marginMs = 15_000

export const busy: NotYet = {
  kind: 'wait',
  waitMs: 30_000,
  reason: 'Lambda throttled the publisher: the account has too many concurrent executions.',
}

/** Asks for a check until it is complete. */
export async function awaitCheck<Found>(
  { invocation, now }: Pick<AttemptContext, 'invocation' | 'now'>,
  asking: Asking,
  check: (maxMs: number) => Promise<CheckResult<Found> | Busy>,
): Promise<Asked<Exclude<CheckResult<Found>, { kind: 'checking' }>>> {
  for (;;) {
    await asking.renew()
    if (asking.stopRequested?.() || now() >= invocation.handOffAt) return { kind: 'interrupted' }
    const result = await check(Math.min(maxMs, invocation.killedAt - marginMs - now()))
    if (result.kind === 'busy') return busy
    if (result.kind !== 'checking') return result
  }
}

export type RunCheckResult =
  | { readonly kind: 'proven'; readonly found: RunResult }
  | ({ readonly kind: 'failed' } & Pick<RunEnd, 'reason' | 'cause'>)

/** Lets the publisher check a whole run. One that it does not prove has failed. */
export async function requestCheck(
  context: Pick<AttemptContext, 'publisher' | 'invocation' | 'now'>,
  asking: Asking,
  { entity, runId }: CheckRequest,
): Promise<Asked<RunCheckResult>> {
  const checked = await awaitCheck(context, asking, (maxMs) =>
    context.publisher.checkRun({ entity, runId }, maxMs),
  )
  if (checked.kind === 'damaged') return { ...checked, kind: 'failed' }
  return checked.kind === 'unproven'
    ? { kind: 'failed', reason: `${checked.reason} Start the sync again.` }
    : checked
}
