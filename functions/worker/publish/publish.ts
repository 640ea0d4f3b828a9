import { sendEvent } from '../../../stored/events.ts'
import { LeaseLost } from '../../../stored/lease.ts'
import type { Progress } from '../../../stored/pages/page.ts'
import { type EndedRun, type PublishingRun, rangesOfRun } from '../../../stored/run/run.ts'
import { failed, published, type RunEnd, refused } from '../../../stored/run/run-changes.ts'
import type { PublishResult } from '../../../stored/snapshots/publication.ts'
import { withoutIdOf } from '../../../stored/snapshots/without-id.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { AttemptContext } from '../context.ts'
import { type Asked, type Asking, busy, requestCheck } from './ask-publisher.ts'
import { cleanUpSnapshots } from './clean-up.ts'

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
