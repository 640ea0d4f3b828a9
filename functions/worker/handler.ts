import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { createGzipper } from '../documents/gzip.ts'
import { log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { createEventPublisher } from '../state/events.aws.ts'
import { createSnapshotStore } from '../state/snapshots.aws.ts'
import { createStateStore } from '../state/sync-state.aws.ts'
import { createUpstream, withUsage } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.aws.ts'
import { newUsage, type UpstreamUsage, usageMetrics } from '../upstream/usage.ts'
import type { StepContext } from './context.ts'
import { readRequest } from './request.ts'
import type { StepResponse } from './response.ts'
import { step } from './step.ts'

const settings = readSettings()
const credentials = credentialsFromSecretsManager(['documents'])
const world: StepContext = {
  settings,
  state: createStateStore(required(environment.table)),
  snapshots: createSnapshotStore(required(environment.bucket)),
  upstream: createUpstream({
    settings: settings.upstream,
    credentials,
  }),
  announce: createEventPublisher(),
  log,
  now: Date.now,
  sleep,
  random: Math.random,
  compress: createGzipper(),
  uniqueName: () => randomUUID().slice(0, 13),
}

/** So long before the function's limit a worker hands over, whatever `stepSeconds` says. */
const marginMs = 60_000

/** The worker: called by the state machine for each step, or directly with `{"entity": "CL"}`. */
export async function handler(event: unknown, context: Context): Promise<StepResponse> {
  const read = readRequest(event)
  if ('mistake' in read) return { status: 'failed', entity: '', runId: null, reason: read.mistake }
  const now = Date.now()
  const killedAt = now + context.getRemainingTimeInMillis()
  // Read while the run is opened. Whoever needs the keys hears why they could not be read.
  credentials.get('documents').catch(() => undefined)
  const usage = newUsage()
  const upstream = withUsage(world.upstream, usage)
  const answer = await step({ ...world, upstream }, read.request, {
    worker: `${context.awsRequestId}#${now}`,
    handOffAt: Math.min(now + settings.stepSeconds * 1000, killedAt - marginMs),
    killedAt,
  })
  logStep(answer, { usage, durationMs: Date.now() - now })
  return answer
}

/** One line a step, and more only where one cannot hold the time of every exchange. */
function logStep(
  { entity, runId, status, attempt, pages, documents, total }: StepResponse,
  { usage, durationMs }: { usage: UpstreamUsage; durationMs: number },
): void {
  const [values, ...more] = usageMetrics(usage)
  const step = { entity, runId, status, attempt, pages, documents, total, durationMs }
  const spent = { requests: usage.exchangesMs.length, secretMs: usage.secretMs }
  log('INFO', 'step', { ...step, ...spent, ...metricFields(values, { Area: 'syncs' }) })
  for (const rest of more) log('INFO', 'step metrics', { runId, ...metricFields(rest, { Area: 'syncs' }) })
}
