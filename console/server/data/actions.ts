import * as v from 'valibot'
import { CommandError } from '../../../operator/errors.ts'
import { awaitRun } from '../../../operator/sync/await-run.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import { pause } from '../../../operator/waiting.ts'
import type { StartedJob } from '../../../stored/run/job.ts'
import type { StartedResponse } from '../../contract/api.ts'
import { bodyOf } from './body.ts'

/** `until`: `8h`, `2d` or a time in ISO 8601 with a zone. An empty text is the same as none. */
const pauseSchema = v.strictObject({ reason: v.string(), until: v.string() })

/** What a person typed. Throws `ProblemError` if the body is malformed. */
export function pauseOptions(body: unknown) {
  const { reason, until } = bodyOf(pauseSchema, body)
  return { reason: reason.trim(), until: until.trim() }
}

const startSchema = v.strictObject({ increment: v.optional(v.literal(true)) })

/** What the body of a request starts. Throws `ProblemError` if it is malformed. */
export const startedJob = (body: unknown): StartedJob => ({
  kind: bodyOf(startSchema, body).increment ? 'increment' : 'full',
})

/** How long the browser waits for an increment. */
const maxIncrementMs = 60_000

/** Starts a full sync, or an increment and waits until it has ended. */
export async function startEntity(
  syncs: Pick<Syncs, 'start' | 'readRun'>,
  entity: string,
  job: StartedJob,
): Promise<StartedResponse> {
  const { kind, runId } = await syncs.start(entity, job)
  if (kind === 'already-running')
    throw new CommandError(`Run ${runId} of ${entity} is in progress.`, {
      fix: 'wait until it ends, or cancel it',
    })
  if (job.kind !== 'increment') return { runId }
  const signal = AbortSignal.timeout(maxIncrementMs)
  const { status, reason } = await awaitRun({ syncs, pause, signal }, { entity, runId })
  if (status === 'published') return { runId }
  throw new CommandError(`The increment of ${entity} ended as ${status}: ${reason}`)
}
