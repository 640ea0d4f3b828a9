import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import { configuredEntity } from '../../../functions/sync-api/entities.ts'
import { createExecutionStarter } from '../../../operator/aws/executions.aws.ts'
import type { Deployment } from '../../../operator/deployment/deployment.ts'
import { CommandError } from '../../../operator/errors.ts'
import { currentRun } from '../../../operator/sync/current-run.ts'
import { type SyncInput, startRun, syncInput } from '../../../operator/sync/start.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { StartedAnswer } from '../../contract.ts'

export interface ActionsContext {
  readonly deployment: Deployment
  readonly syncs: Syncs
}

const startBody = v.strictObject({
  acceptShrink: v.optional(v.boolean(), false),
  acceptDeletes: v.optional(v.boolean(), false),
})

/** How long the browser waits for the run of an execution that was started. */
const maxStartMs = 60_000

/** The execution's input for the body of a request. Throws `ProblemError` if it is malformed. */
export function startInput(entity: string, body: unknown): SyncInput {
  const parsed = v.safeParse(startBody, body)
  if (parsed.success) return syncInput(entity, parsed.output)
  throw new ProblemError('invalid-request', 'The body is malformed.')
}

/** Starts a sync and waits until its run can be read. */
export async function startSync(
  { deployment, syncs }: ActionsContext,
  name: string,
  body: unknown,
): Promise<StartedAnswer> {
  const { name: entity } = configuredEntity(deployment.configuration.entities, name)
  const input = startInput(entity, body)
  const executions = createExecutionStarter(deployment.stateMachineArn)
  const running = await currentRun(entity, { deployment, syncs, executions })
  if (running) {
    throw new CommandError(`Run ${running.runId} of ${entity} is in progress.`, {
      fix: 'wait until it ends, or cancel it',
    })
  }
  const signal = AbortSignal.timeout(maxStartMs)
  const { runId } = await startRun({ syncs, executions, signal }, input)
  return { runId }
}
