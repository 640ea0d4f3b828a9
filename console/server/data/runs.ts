import { configuredEntity, ProblemError } from '../../../functions/http/result.ts'
import { maxComparisonMs } from '../../../functions/problems/chain-state.ts'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import { pageTimesOf } from '../../../functions/story/page-times.ts'
import { foundProof } from '../../../functions/story/phases.ts'
import { storyOf } from '../../../functions/story/story.ts'
import { readWaitingRefusal } from '../../../operator/changes/waiting-refusal.ts'
import { positionsOf } from '../../../stored/run/attempts.ts'
import { hasEnded, type Run, runIdPattern } from '../../../stored/run/run.ts'
import { runView } from '../../../stored/views.ts'
import type { RefusedRow } from '../../contract/review.ts'
import type { RunComparison, RunResponse, RunRow, RunsResponse } from '../../contract/run.ts'
import type { ConsoleContext } from '../context.ts'
import { setRow } from '../document-views/records.ts'

const pageSize = 100
const maxConcurrentReads = 8

/** Runs of an entity, newest first, those before a run if it is given. */
export async function listRuns(
  context: ConsoleContext,
  entity: string,
  before: string | undefined,
): Promise<RunsResponse> {
  const { name } = configuredEntity(context.deployment.configuration.entities, entity)
  if (before !== undefined && !runIdPattern.test(before)) {
    throw new ProblemError('invalid-request', 'before is not the id of a run.')
  }
  const runs = await context.state.listRuns(name, pageSize, before)
  return {
    runs: await mapPooled(runs, maxConcurrentReads, (run) => rowOf(context, run)),
    next: runs.length === pageSize ? (runs.at(-1)?.runId ?? null) : null,
  }
}

/** Only a run in progress needs its page items: the counts of the others are in their own item. */
async function rowOf({ syncs }: ConsoleContext, run: Run): Promise<RunRow> {
  return hasEnded(run) ? runView(run, []) : syncs.readRun(run.entity, run.runId)
}

export async function readRun(context: ConsoleContext, entity: string, runId: string): Promise<RunResponse> {
  const { deployment, syncs, state, snapshots, command } = context
  const { kind, now } = deployment
  // Also checks that the entity is configured and the id is well-formed.
  const row = await syncs.readRun(entity, runId)
  const [run, compared] = await Promise.all([state.findRun(entity, runId), comparisonOf(context, row)])
  if (!run) throw new ProblemError('not-found', 'This run has expired.')
  const [positions, refused] = await Promise.all([
    positionsOf(state, run),
    run.status === 'refused' ? snapshots.readRefused(entity, runId) : undefined,
  ])
  const { phases, events, outcome } = storyOf(run, { now: now(), pages: pageTimesOf(positions), refused })
  return {
    run: row,
    phases,
    notes: [...events, ...outcome],
    uniqueIds: foundProof(run, refused)?.uniqueIds ?? null,
    requests: run.requests,
    receivedBytes: run.receivedBytes,
    refused: refusedRow(context, row, compared.reason),
    executionUrl: run.execution === undefined || kind === 'local' ? null : executionUrl(run.execution),
    logsCommand: command(`logs ${runId}`),
    comparison: compared.comparison,
    now: new Date(now()).toISOString(),
  }
}

/** With the reason if its guard refused the set. */
async function comparisonOf(
  { deployment: { configuration, now }, changes }: ConsoleContext,
  { entity, runId, kind, status, endedAt }: RunRow,
): Promise<{ comparison: RunComparison; reason?: string }> {
  const isCompared = configuredEntity(configuration.entities, entity).changes !== false
  if (status !== 'published' || !isCompared) return { comparison: { kind: 'none' } }
  const manifest = await changes.readManifest(entity, runId)
  if (manifest) return { comparison: { kind: 'published', set: setRow(manifest.value) } }
  // One that found nothing new has no set.
  if (kind !== 'full') return { comparison: { kind: 'none' } }
  const refused = await readWaitingRefusal(changes, entity, runId)
  if (refused) {
    const { refusedAt, reason } = refused
    return { comparison: { kind: 'refused', refusedAt }, reason }
  }
  const isPending = now() - Date.parse(endedAt ?? '') < maxComparisonMs
  return { comparison: { kind: isPending ? 'pending' : 'missing' } }
}

function refusedRow(
  { command }: ConsoleContext,
  { runId, ...run }: Pick<RunRow, 'runId' | 'status' | 'reason'>,
  changesReason: string | undefined,
): RefusedRow | null {
  const guard = run.status === 'refused' ? 'snapshot' : 'changes'
  const reason = guard === 'snapshot' ? run.reason : changesReason
  if (guard === 'changes' && reason === undefined) return null
  const commands = { reviewCommand: command(`review ${runId}`), acceptCommand: command(`accept ${runId}`) }
  return { guard, reason: reason ?? '', ...commands }
}

/** `https://eu-west-1.console.aws.amazon.com/states/…` for an execution's ARN. */
function executionUrl(arn: string): string {
  const region = arn.split(':')[3] ?? ''
  return `https://${region}.console.aws.amazon.com/states/home?region=${region}#/v2/executions/details/${encodeURIComponent(arn)}`
}
