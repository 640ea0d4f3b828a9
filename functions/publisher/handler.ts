import type { Context } from 'aws-lambda'
import { log } from '../runtime/log.ts'
import { environment, required } from '../runtime/settings.ts'
import type { PublishResult } from '../state/snapshots/publication.ts'
import { type AnyCheckResult, checkRun } from './check-run.ts'
import { publishRun } from './publish-run.ts'
import { readRequest } from './request.ts'
import { connectItems } from './stored-items.aws.ts'
import { connectObjects } from './stored-objects.aws.ts'

/** The caller waits for less than its lease lasts, and a NAT gateway drops a silent connection after 350 s. */
const maxCheckMs = 200_000
/** Before Lambda ends the function. */
const marginMs = 30_000

const items = connectItems(required(environment.table))
const objects = connectObjects(required(environment.bucket))

/** The publisher: invoked by the worker. */
export async function handler(event: unknown, lambda: Context): Promise<AnyCheckResult | PublishResult> {
  const request = readRequest(event)
  const startedAt = Date.now()
  const leftMs = Math.min(maxCheckMs, lambda.getRemainingTimeInMillis() - marginMs)
  const publisher = { items, objects, now: Date.now, endsAt: startedAt + leftMs }
  const result = await (request.task === 'check' ? checkRun : publishRun)(publisher, request)
  const { task, entity, runId } = request
  const reason = 'reason' in result ? { reason: result.reason } : {}
  log('INFO', task, { entity, runId, kind: result.kind, ...reason, durationMs: Date.now() - startedAt })
  return result
}
