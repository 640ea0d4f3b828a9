import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { createGzipper } from '../../stored/documents/gzip.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { randomPause } from '../../stored/dynamodb/state-table.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import { createPublisher } from '../../stored/publisher.ts'
import { createWaker } from '../../stored/slots/waker.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { endMarginMs } from '../runtime/client-limits.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { log } from '../runtime/log.ts'
import { createUpstream, withUsage } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.aws.ts'
import { newUsage } from '../upstream/usage.ts'
import type { StepContext } from './context.ts'
import { awaitSlot } from './lifecycle/slot-wait.ts'
import { readWorkerRequest } from './request.ts'
import { noRunResponse, type StepResponse } from './response.ts'
import { withAge } from './response-age.ts'
import { step } from './step.ts'

const settings = readSettings()
const bucket = required(environment.bucket)
const credentials = credentialsFromSecretsManager(['documents'], settings.credentials, { sleep })
const context: StepContext = {
  settings,
  state: createStateStore(connectTable(required(environment.table)), randomPause, createWaker(settings, log)),
  snapshots: createSnapshotStore(bucket),
  publisher: createPublisher(required(environment.publisher)),
  upstream: withAge(createUpstream({ settings: settings.upstream, credentials }), settings, Date.now),
  changes: createChangeSetStore(bucket),
  publishEvent: createEventPublisher({ deployment: settings.name, bucket }),
  log,
  now: Date.now,
  sleep,
  random: Math.random,
  compress: createGzipper(),
  uniqueName: () => randomUUID().slice(0, 13),
}

/** The worker: invoked by the state machine for each step and wait for a slot, or directly with `{"entity": "CL"}`. */
export async function handler(event: unknown, lambda: Context): Promise<StepResponse | undefined> {
  const read = readWorkerRequest(event)
  if (read.kind === 'await-slot') {
    await awaitSlot(context, read.wait)
    return undefined
  }
  if (read.kind === 'invalid')
    return noRunResponse('failed', { entity: '', runId: null, reason: read.reason })
  const now = Date.now()
  const killedAt = now + lambda.getRemainingTimeInMillis()
  // Read while the run is opened. A failure is reported by the first request.
  credentials.get('documents').catch(() => undefined)
  const usage = newUsage()
  const upstream = withUsage(context.upstream, usage)
  const response = await step({ ...context, upstream }, read.request, {
    worker: `${lambda.awsRequestId}#${now}`,
    handOffAt: Math.min(now + settings.stepSeconds * 1000, killedAt - endMarginMs),
    killedAt,
  })
  const spent = { durationMs: Date.now() - now, requests: usage.exchangesMs.length, secretMs: usage.secretMs }
  log('INFO', 'step', { ...response, ...spent })
  return response
}
