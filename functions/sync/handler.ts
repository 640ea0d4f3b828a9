import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { environment, readSettings, required } from '../environment.ts'
import { log } from '../log.ts'
import { metricFields } from '../metrics.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.ts'
import { newTally, tallied, tallyMetrics, type UpstreamTally } from '../upstream/tally.ts'
import { announceOnEventBridge } from './event-bus.ts'
import { createGzipper } from './gzip.ts'
import { keepHeapSmall } from './heap.ts'
import { readRequest } from './request.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createStateStore } from './state-store.ts'
import { step } from './step.ts'
import type { StepAnswer } from './step-answer.ts'
import { renewalIntervalMs, type StepWorld } from './step-world.ts'

keepHeapSmall()

const settings = readSettings()
const credentials = credentialsFromSecretsManager(['documents'], { renewalIntervalMs })
const world: StepWorld = {
  settings,
  state: createStateStore(required(environment.table)),
  snapshots: createSnapshotStore(required(environment.bucket)),
  upstream: createUpstream({
    settings: settings.upstream,
    credentials,
  }),
  announce: announceOnEventBridge(),
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
export async function handler(event: unknown, context: Context): Promise<StepAnswer> {
  const read = readRequest(event)
  if ('mistake' in read) return { status: 'failed', entity: '', runId: null, reason: read.mistake }
  const now = Date.now()
  const killedAt = now + context.getRemainingTimeInMillis()
  // Read while the run is opened. Whoever needs the keys hears why they could not be read.
  credentials.get('documents').catch(() => undefined)
  const tally = newTally()
  const upstream = tallied(world.upstream, tally)
  const answer = await step({ ...world, upstream }, read.request, {
    worker: `${context.awsRequestId}#${now}`,
    handOverAt: Math.min(now + settings.stepSeconds * 1000, killedAt - marginMs),
    killedAt,
  })
  logStep(answer, { tally, durationMs: Date.now() - now })
  return answer
}

/** One line a step, and more only where one cannot hold the time of every exchange. */
function logStep(
  { entity, runId, status, attempt, pages, documents, total }: StepAnswer,
  { tally, durationMs }: { tally: UpstreamTally; durationMs: number },
): void {
  const [values, ...more] = tallyMetrics(tally)
  const step = { entity, runId, status, attempt, pages, documents, total, durationMs }
  const spent = { requests: tally.exchangesMs.length, secretMs: tally.secretMs }
  log('INFO', 'step', { ...step, ...spent, ...metricFields(values, { Area: 'syncs' }) })
  for (const rest of more) log('INFO', 'step metrics', { runId, ...metricFields(rest, { Area: 'syncs' }) })
}
