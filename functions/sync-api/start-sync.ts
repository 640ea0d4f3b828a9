import type { EntitySettings } from '../runtime/settings.ts'
import { claimEntity } from '../state/claim.ts'
import { newRun, newRunId, type Run } from '../state/run.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import { endFromOutside } from './end-run.ts'
import type { ExecutionStore } from './executions.aws.ts'
import type { StartOptions } from './start-body.ts'

export interface StartContext {
  readonly state: StateStore
  readonly executions: Pick<ExecutionStore, 'arnOf' | 'start'>
  readonly now: () => number
}

/** A started run, which can be read from then on, or the run that prevents the start. */
export type Start = { readonly kind: 'started' | 'already-running'; readonly runId: string }

/** Creates a run of an entity and starts the execution that drives it. */
export async function startSync(
  { state, executions, now }: StartContext,
  entity: EntitySettings,
  { acceptShrink, acceptDeletes }: StartOptions,
): Promise<Start> {
  const runId = newRunId(now())
  const { claim, pageSize } = await claimEntity(state, entity.name, {
    runId,
    worker: `start#${runId}`,
    direct: false,
    handedOff: true,
    now,
  })
  if (claim.kind === 'skip') return { kind: 'already-running', runId: claim.runId }
  const begun = newRun({ runId, entity, acceptShrink, now: now(), pageSize })
  const run: Run = { ...begun, execution: await executions.arnOf(runId) }
  await state.createRun(run)
  try {
    await executions.start(runId, {
      entity: entity.name,
      runId,
      ...(acceptShrink && { acceptShrink }),
      ...(acceptDeletes && { acceptDeletes }),
    })
  } catch (error) {
    const reason = 'The state machine could not be started. Start the sync again.'
    await endFromOutside({ state, now }, run, { status: 'failed', reason })
    throw error
  }
  return { kind: 'started', runId }
}
