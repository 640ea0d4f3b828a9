import { acceptedText } from '../../../stored/changes/acceptable-changes.ts'
import type { Prevention } from '../../../stored/claim/decisions.ts'
import { noProgress } from '../../../stored/pages/page.ts'
import { pauseText } from '../../../stored/pause.ts'
import { cancellableStatuses, hasEnded } from '../../../stored/run/run.ts'
import { skipped } from '../../../stored/run/run-changes.ts'
import { formatMinute } from '../../runtime/format.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { StepContext } from '../context.ts'
import { executionOf, runIdOf, type WorkerRequest } from '../request.ts'
import { endResponse, noRunResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'
import { type OpenedRun, requestedRun } from './open.ts'

/** Ends a run that does not begin, which is no failure. It is kept if a state machine drives it. */
export async function skipStart(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { entity, request }: { readonly entity: EntitySettings; readonly request: WorkerRequest },
  { because, own }: OpenedRun & { kind: 'skipped' },
): Promise<StepResponse> {
  const reason = preventionText(because)
  const runId = runIdOf(request)
  if (runId === undefined) {
    const running = because.kind === 'in-progress' ? because.runId : null
    return noRunResponse('skipped', { entity: entity.name, runId: running, reason })
  }
  const begun = own ?? requestedRun({ entity, request }, { runId, now: now() })
  const run = skipped(
    { ...begun, execution: executionOf(request) },
    { reason, progress: noProgress, now: now() },
  )
  const written = own ? await state.endRun(run, cancellableStatuses) : await state.createRun(run)
  if (written) {
    // An earlier worker of this run may have taken the lease before it crashed, or a slot after it had lost the lease.
    if (own || because.kind === 'paused') await state.release(entity.name, runId)
    return endResponse(run)
  }
  // Another worker has ended it, or will: the owner of the lease settles a run that is publishing.
  const current = await state.readRun(entity.name, runId)
  if (current && hasEnded(current)) return endResponse(current)
  return waitingResponse({ entity: entity.name, runId }, { reason, waitMs: retryMs })
}

/** Why a run does not begin. */
export function preventionText(prevention: Prevention): string {
  switch (prevention.kind) {
    case 'paused':
      return pauseText('The entity', prevention.pause)
    case 'in-progress':
      return `Run ${prevention.runId} of this entity is in progress.`
    case 'accepted':
      return acceptedText(prevention.lease.runId, prevention.lease)
    case 'scroll-open': {
      const until = formatMinute(new Date(prevention.until).toISOString())
      return `The last increment left a scroll open at the platform, which expires at ${until}.`
    }
  }
}
