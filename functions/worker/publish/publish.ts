import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { sendEvent } from '../../../stored/events.ts'
import type { EndedSnapshot } from '../../../stored/inventory/snapshot-reasons.ts'
import { planCleanUp, runOutcomeOf, runsOf } from '../../../stored/inventory/snapshot-reasons.ts'
import { LeaseLost } from '../../../stored/lease.ts'
import type { Progress } from '../../../stored/pages/page.ts'
import type { EndedRun, PublishingRun, Run, RunResult } from '../../../stored/run/run.ts'
import { rangesOfRun } from '../../../stored/run/run.ts'
import { failed, published, type RunEnd, refused } from '../../../stored/run/run-changes.ts'
import { snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
import type { Busy, CheckRequest, CheckResult, PublishResult } from '../../../stored/snapshots/publication.ts'
import { withoutIdOf } from '../../../stored/snapshots/without-id.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { cleaningUp } from '../../task/cleaning-up.ts'
import type { AttemptContext, StepContext } from '../context.ts'

export type PublishContext = Pick<
  AttemptContext,
  'state' | 'snapshots' | 'changes' | 'publisher' | 'publishEvent' | 'log' | 'now' | 'invocation'
>

type Ended = { readonly kind: 'ended'; readonly run: EndedRun }

/**
 * Lets the publisher publish a run that is `publishing`, and returns its end. It may be called again after a crash at any
 * point. The publisher checks a run first whose worker has not let it: one of 1.0.0, and one that a person accepted.
 */
export async function publish(
  context: PublishContext,
  run: PublishingRun,
  publishing: Asking & { readonly entity: EntitySettings },
): Promise<Asked<Ended>> {
  const { publisher, now } = context
  const { entity, runId } = run
  const fail = (why: Pick<RunEnd, 'reason' | 'cause'>): Ended => ({
    kind: 'ended',
    run: failed(run, { reason: why.reason, cause: why.cause, progress: progressOf(run), now: now() }),
  })
  const result = await publisher.publish({ entity, runId })
  switch (result.kind) {
    case 'busy':
      return busy
    case 'unchecked': {
      const checked = await requestCheck(context, publishing, run)
      if (checked.kind === 'proven') return publish(context, run, publishing)
      return checked.kind === 'failed' ? fail(checked) : checked
    }
    case 'not-publishing':
      throw new LeaseLost(result.reason)
    case 'superseded':
      return fail({ reason: `The newer run ${result.by} has published in the meantime.` })
    case 'damaged':
      return fail(result)
    case 'published':
    case 'refused':
      return { kind: 'ended', run: await endOf(context, run, { entity: publishing.entity, result }) }
  }
}

interface Decided {
  readonly entity: EntitySettings
  readonly result: Extract<PublishResult, { kind: 'published' | 'refused' }>
}

/** Records what the guards decided, tells others, and deletes what is no longer needed. */
async function endOf(
  context: PublishContext,
  publishing: PublishingRun,
  { entity, result }: Decided,
): Promise<EndedRun> {
  const { state, snapshots, now } = context
  const { name } = entity
  const { runId } = publishing
  const run = result.guarded ? { ...publishing, guarded: result.guarded } : publishing
  const progress = progressOf(run)
  if (result.kind === 'refused') {
    const manifest = await snapshots.readRefused(name, runId)
    const latest = (await snapshots.readLatest(name))?.value.runId
    if (manifest) await cleanUpSnapshots(context, entity, { outcome: 'refused', manifest, published: latest })
    return refused(run, { reason: result.reason, progress, now: now() })
  }
  const { latest, manifest: counts } = result
  await state.setLatest(name, latest, withoutIdOf(counts))
  const { documents, proof } = counts
  const named = { manifest: latest.manifest, ...(latest.sha256 && { sha256: latest.sha256 }) }
  const decided = run.accepted && { by: run.accepted.by }
  const detail = { entity: name, runId, documents, proof, ...named, ...decided }
  const manifest = await snapshots.readManifest(name, runId)
  await Promise.all([
    manifest && cleanUpSnapshots(context, entity, { outcome: 'published', manifest, published: runId }),
    sendEvent(context, { type: 'Snapshot Published', detail }),
  ])
  return published(run, { manifest: latest.manifest, progress, now: now() })
}

function progressOf(run: PublishingRun): Progress {
  const { documents, pages, reportedTotal } = run.result
  const rangeProgress = rangesOfRun(run).flatMap((range) =>
    range.state === 'proven'
      ? [{ documents: range.documents, pages: range.pages, total: range.total ?? undefined }]
      : [],
  )
  return { documents, pages, total: reportedTotal ?? undefined, rangeProgress }
}

/** Deletes what is no longer needed. */
async function cleanUpSnapshots(
  {
    state,
    snapshots,
    changes,
    log,
    now,
  }: Pick<StepContext, 'state' | 'snapshots' | 'changes' | 'log' | 'now'>,
  entity: EntitySettings,
  ended: EndedSnapshot,
): Promise<void> {
  const { manifest, published } = ended
  await cleaningUp(log, { entity: entity.name, runId: manifest.runId }, async () => {
    const keys = await Array.fromAsync(snapshots.listKeys(snapshotsPrefix(entity.name)))
    const runs = new Map<string, Run | undefined>()
    for (const runId of runsOf(entity.name, keys)) {
      if (runId < manifest.runId) runs.set(runId, await state.readRun(entity.name, runId))
    }
    const deleted = planCleanUp(ended, keys, {
      keepSnapshots: entity.keepSnapshots,
      // Without change sets nothing is compared, as if the chain had ended at the published snapshot.
      tip: entity.changes === false ? published : await snapshotOfChain(changes, entity.name),
      runOutcomeOf: (runId) => runOutcomeOf(runs.get(runId), now()),
      now: now(),
    })
    await snapshots.deleteKeys(deleted)
  })
}

/** The run whose snapshot the next comparison starts from; undefined before the first change set. */
async function snapshotOfChain(changes: Pick<ChangeSetStore, 'readLatest'>, entity: string) {
  const chain = await changes.readLatest(entity)
  return chain && chainSnapshotRun(chain.value)
}

export interface Asking {
  /** Makes sure that this worker still has the run. Throws `LeaseLost`. */
  renew(): Promise<void>
  /** True if another range has stopped the run; absent where no range is scrolled. */
  readonly stopRequested?: () => boolean
}

/** What the publisher has decided, or why it has not yet. */
export type Asked<Decided> = Decided | NotYet

export type NotYet =
  /** The worker's time is up. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }

/** A check responds sooner, and the lease lasts longer. */
const maxMs = 240_000
/** The worker's last seconds, in which it hands off. */
const marginMs = 15_000

const busy: NotYet = {
  kind: 'wait',
  waitMs: 30_000,
  reason: 'Lambda throttled the publisher: the account has too many concurrent executions.',
}

/** Asks for a check until it is complete. */
export async function awaitCheck<Found>(
  { invocation, now }: Pick<AttemptContext, 'invocation' | 'now'>,
  asking: Asking,
  check: (maxMs: number) => Promise<CheckResult<Found> | Busy>,
): Promise<Asked<Exclude<CheckResult<Found>, { kind: 'checking' }>>> {
  for (;;) {
    await asking.renew()
    if (asking.stopRequested?.() || now() >= invocation.handOffAt) return { kind: 'interrupted' }
    const result = await check(Math.min(maxMs, invocation.killedAt - marginMs - now()))
    if (result.kind === 'busy') return busy
    if (result.kind !== 'checking') return result
  }
}

export type RunCheckResult =
  | { readonly kind: 'proven'; readonly found: RunResult }
  | ({ readonly kind: 'failed' } & Pick<RunEnd, 'reason' | 'cause'>)

/** Lets the publisher check a whole run. One that it does not prove has failed. */
export async function requestCheck(
  context: Pick<AttemptContext, 'publisher' | 'invocation' | 'now'>,
  asking: Asking,
  { entity, runId }: CheckRequest,
): Promise<Asked<RunCheckResult>> {
  const checked = await awaitCheck(context, asking, (maxMs) =>
    context.publisher.checkRun({ entity, runId }, maxMs),
  )
  if (checked.kind === 'damaged') return { ...checked, kind: 'failed' }
  return checked.kind === 'unproven'
    ? { kind: 'failed', reason: `${checked.reason} Start the sync again.` }
    : checked
}
