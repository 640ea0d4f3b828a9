import { pagesOf } from '../../state/run/attempts.ts'
import type { ActiveFullRun } from '../../state/run/run.ts'
import { publishing } from '../../state/run/run-changes.ts'
import { rangesOf } from '../../state/run/split.ts'
import type { AttemptContext } from '../context.ts'
import { endRun, failRun } from '../lifecycle/end.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import { countPages, type PageCount } from '../proof/page-count.ts'
import { provenRanges, runResultOf } from '../proof/result.ts'
import { expiredPagesReason, publish } from '../publish/publish.ts'
import type { StepResponse } from '../response.ts'

/** Publishes a run whose ranges are all proven. `counts` are those that this worker has counted. */
export async function publishProven(
  context: AttemptContext,
  session: ScrollingSession,
  counts: readonly PageCount[],
): Promise<StepResponse> {
  const { state, now } = context
  const { entity } = session
  await session.renew()
  const [only] = rangesOf(session.run.split).length === 1 ? counts : []
  const count = only ?? (await countPages(pagesOf(state, session.run)))
  if (!areProven(count, session.run)) return failRun(context, session, { reason: expiredPagesReason })
  const proven = await session.change((run) => publishing(run, runResultOf(run, count, now()), now()))
  await session.renew()
  return endRun(context, session, await publish(context, proven, { entity, count }))
}

/** True if the pages that are counted now are those that the ranges were proven by. */
function areProven({ received }: PageCount, run: ActiveFullRun): boolean {
  return received === provenRanges(run).reduce((sum, range) => sum + range.received, 0)
}
