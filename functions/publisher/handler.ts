import type { Context } from 'aws-lambda'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { log } from '../runtime/log.ts'
import { connectItems } from './stored-items.aws.ts'
import { connectObjects } from './stored-objects.aws.ts'
import { carryOut, type PublisherResult, readRequest } from './tasks.ts'

/** The caller waits for less than its lease lasts, and a NAT gateway drops a silent connection after 350 s. */
const maxCheckMs = 200_000
/** Before Lambda ends the function. */
const marginMs = 30_000

const { entities } = readSettings()
const items = connectItems(required(environment.table))
const objects = connectObjects(required(environment.bucket))

/** The publisher: invoked by the worker, by the comparison, and by erasure. */
export async function handler(event: unknown, lambda: Context): Promise<PublisherResult> {
  const request = readRequest(event)
  const startedAt = Date.now()
  const leftMs = lambda.getRemainingTimeInMillis() - marginMs
  // A check of a set that stops has to begin again.
  const maxMs = request.task === 'check' ? Math.min(maxCheckMs, leftMs) : leftMs
  const publisher = { items, objects, entities, log, now: Date.now, endsAt: startedAt + maxMs }
  const result = await carryOut(publisher, request)
  const { task, entity } = request
  const { kind } = result
  const of = 'runId' in request ? { runId: request.runId } : { note: request.note.kind }
  const reason = 'reason' in result ? { reason: result.reason } : {}
  log('INFO', task, { entity, ...of, kind, ...reason, durationMs: Date.now() - startedAt })
  return result
}
