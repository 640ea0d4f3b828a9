import * as v from 'valibot'
import { ProblemError } from '../../../functions/http/problem.ts'
import { configuredEntity } from '../../../functions/sync-api/entities.ts'
import { createExecutionStarter } from '../../../operator/aws/executions.aws.ts'
import type { Deployment } from '../../../operator/deployment/deployment.ts'
import { CommandError } from '../../../operator/errors.ts'
import { currentRun } from '../../../operator/sync/current-run.ts'
import { awaitIncrement, startIncrement } from '../../../operator/sync/increment.ts'
import { startRun } from '../../../operator/sync/start.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import { pause } from '../../../operator/waiting.ts'
import type { PauseRequest, StartedResponse } from '../../contract/api.ts'
import { startInput } from './start-input.ts'

const pauseSchema = v.strictObject({ reason: v.string(), until: v.string() })

/** What a person typed. Throws `ProblemError` if the body is malformed. */
export function pauseOptions(body: unknown): PauseRequest {
  if (v.is(pauseSchema, body)) return { reason: body.reason.trim(), until: body.until.trim() }
  throw new ProblemError('invalid-request', 'The body is malformed.')
}

export interface ActionsContext {
  readonly deployment: Deployment
  readonly syncs: Syncs
}

/** How long the browser waits for the run of an execution that was started. */
const maxStartMs = 60_000

/** Starts a sync and waits until its run can be read, or until an increment has ended. */
export async function startEntity(
  { deployment, syncs }: ActionsContext,
  name: string,
  body: unknown,
): Promise<StartedResponse> {
  const { name: entity } = configuredEntity(deployment.configuration.entities, name)
  const input = startInput(entity, body)
  const executions = createExecutionStarter(deployment.stateMachineArn)
  const running = await currentRun(entity, { deployment, syncs, executions })
  if (running) {
    throw new CommandError(`Run ${running.runId} of ${entity} is in progress.`, {
      fix: 'wait until it ends, or cancel it',
    })
  }
  const options = { syncs, executions, pause, signal: AbortSignal.timeout(maxStartMs) }
  if (input.increment) {
    const execution = await startIncrement(options, entity)
    const ended = await awaitIncrement(options, entity, execution)
    if (ended.status === 'published') return { runId: ended.runId }
    throw new CommandError(`The increment of ${entity} ended as ${ended.status}: ${ended.reason}`)
  }
  const { runId } = await startRun(options, input)
  return { runId }
}
