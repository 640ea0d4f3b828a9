import { hasEnded, runIdOfRepeat, type SnapshotRun } from '../../../stored/run/run.ts'
import type { StepContext } from '../context.ts'
import type { StateMachine } from '../request.ts'
import { endResponse, noRunResponse, type StepResponse, type UnpublishedResponse } from '../response.ts'
import { repeatDueAt } from './decision.ts'

type RepeatContext = Pick<StepContext, 'settings' | 'state' | 'now'>

interface FullRequest {
  readonly entity: string
  readonly driver: StateMachine
}

/**
 * Works on a full run that the state machine drives. Offers to repeat it if it failed because the platform was away:
 * the state machine takes the offer if a schedule started the execution.
 */
export async function workWithRepeats(
  context: RepeatContext,
  request: FullRequest,
  work: () => Promise<StepResponse>,
): Promise<StepResponse> {
  const { entity, driver } = request
  const { runId, repeat } = driver
  if (repeat && (await hasOtherBegun(context, { entity, runId, after: repeat.after })))
    return endOf(context, entity, repeat.after)
  const response = await work()
  if (response.status === 'failed' && !response.withoutRun) return withOffer(context, request, response)
  if (!repeat) return response
  if (response.status === 'skipped') return endOf(context, entity, repeat.after)
  // The next step works on the same run.
  return response.status === 'running' || response.status === 'waiting'
    ? { ...response, repeat: { runId, ...repeat } }
    : response
}

/** Whether a run of the entity has begun since the run `after`, other than the repeat `runId`. */
async function hasOtherBegun(
  { state }: RepeatContext,
  { entity, runId, after }: { entity: string; runId: string; after: string },
): Promise<boolean> {
  if (await state.readRun(entity, runId)) return false
  const { recentRuns = [] } = await state.readEntity(entity)
  return recentRuns.some((id) => id > after && id !== runId)
}

/** The execution ends like its last run that was not skipped. */
async function endOf({ state }: RepeatContext, entity: string, runId: string): Promise<StepResponse> {
  const run = await state.readRun(entity, runId)
  if (run && hasEnded(run)) return endResponse(run)
  const reason = 'The platform was away, and the run that was to be repeated is no longer stored.'
  return noRunResponse('failed', { entity, runId, reason })
}

async function withOffer(
  { settings, state, now }: RepeatContext,
  { entity, driver: { runId: after, repeat } }: FullRequest,
  response: UnpublishedResponse,
): Promise<StepResponse> {
  const configured = settings.entities.find(({ name }) => name === entity)
  const [last, ...before] = await Array.fromAsync(chainFrom(state, entity, after))
  const dueAt = last && configured && repeatDueAt([last, ...before], configured)
  if (dueAt === undefined) return response
  const waitSeconds = Math.max(0, Math.ceil((dueAt - now()) / 1000))
  return {
    ...response,
    repeat: { runId: runIdOfRepeat({ after, dueAt }), of: repeat?.of ?? after, after, waitSeconds },
  }
}

async function* chainFrom(
  state: StepContext['state'],
  entity: string,
  runId: string,
): AsyncGenerator<SnapshotRun> {
  const run = await state.readRun(entity, runId)
  if (!run) return
  yield run
  if (run.kind === 'full' && run.repeat) yield* chainFrom(state, entity, run.repeat.after)
}
