import type { EntitySettings } from '../environment.ts'
import { describeError, type Log } from '../log.ts'
import type { Announce } from './event-bus.ts'
import { refusal } from './guards.ts'
import { type Latest, type Manifest, manifestKey, snapshotsPrefix } from './manifest.ts'
import type { Position } from './page.ts'
import type { Tally } from './proof.ts'
import { planCleanUp } from './retention.ts'
import { hasEnded, type Run } from './run.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { StateStore } from './state-store.ts'

export interface PublicationStores {
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly announce: Announce
  readonly log: Log
  readonly now: () => number
}

export type Publication =
  | { readonly status: 'published'; readonly manifest: string }
  | { readonly status: 'refused' | 'failed'; readonly reason: string }

/**
 * Publishes a run that is `publishing`, whose proof stands in `run.result`. It may be called again after a crash at
 * any place: what was done is found done. Pages are there already; then the manifest, then `latest.json`.
 */
export async function publish(
  stores: PublicationStores,
  run: Run,
  { entity, tally, position }: { entity: EntitySettings; tally: Tally; position: Position },
): Promise<Publication> {
  const { snapshots, state } = stores
  const published = await snapshots.readLatest(entity.name)
  if (published?.runId !== run.runId) {
    const reason = refusal({
      documents: tally.documents,
      publishedDocuments: published?.documents,
      entity,
      acceptShrink: run.acceptShrink,
    })
    if (reason) return { status: 'refused', reason }
  }
  const manifest = await snapshots.putManifest(manifestOf(run, { entity, tally, position }))
  const latest = await snapshots.moveLatest(entity.name, {
    runId: run.runId,
    manifest: manifestKey(entity.name, run.runId),
    publishedAt: new Date(stores.now()).toISOString(),
    documents: manifest.documents,
  })
  if (latest.runId !== run.runId) {
    return { status: 'failed', reason: `The newer run ${latest.runId} has published in the meantime.` }
  }
  await state.setLatest(entity.name, latest)
  await cleanUp(stores, entity, manifest)
  await announcePublication(stores, manifest, latest)
  return { status: 'published', manifest: latest.manifest }
}

function manifestOf(
  run: Run,
  { entity, tally, position }: { entity: EntitySettings; tally: Tally; position: Position },
): Manifest {
  if (!run.result) throw new Error(`The run ${run.runId} is being published without a proof.`)
  return {
    version: 1,
    entity: entity.name,
    runId: run.runId,
    startedAt: run.startedAt,
    finishedAt: run.result.finishedAt,
    query: entity.query,
    pageSize: position.pageSize,
    attempts: run.attempt,
    documents: tally.documents,
    uniqueIds: tally.uniqueIds,
    reportedTotal: position.total ?? null,
    proof: run.result.proof,
    spent: run.result.spent,
    pages: tally.pages,
  }
}

/** A worker lives 15 minutes at most; one that lost its run may still write a manifest until then. */
const lastWordMs = 16 * 60_000

/** The snapshot is published whatever becomes of this: what is left over, the next run's clean-up finds. */
async function cleanUp(
  stores: PublicationStores,
  entity: EntitySettings,
  published: Manifest,
): Promise<void> {
  const { state, snapshots, now } = stores
  try {
    const keys: string[] = []
    for await (const key of snapshots.listKeys(snapshotsPrefix(entity.name))) keys.push(key)
    const { manifests, objects, unpublished } = planCleanUp(published, keys, entity.keepSnapshots)
    await snapshots.deleteKeys(manifests)
    await snapshots.deleteKeys(objects)
    for (const [runId, left] of unpublished) {
      const run = await state.readRun(entity.name, runId)
      const silent = run === undefined || (hasEnded(run) && !mayStillWrite(run, now()))
      if (silent) await snapshots.deleteKeys(left)
    }
  } catch (error) {
    stores.log('ERROR', 'The clean-up after a publication failed; the next one finishes it.', {
      entity: entity.name,
      runId: published.runId,
      error: describeError(error),
    })
  }
}

function mayStillWrite(run: Run, now: number): boolean {
  return run.abandoned === true && now - Date.parse(run.endedAt ?? run.updatedAt) < lastWordMs
}

/** Readers that wait for the event also find the snapshot by `latest.json`, so a lost event loses nothing. */
async function announcePublication(
  { announce, log }: PublicationStores,
  { entity, runId, documents, proof }: Manifest,
  { manifest }: Latest,
): Promise<void> {
  try {
    await announce({ type: 'Snapshot Published', detail: { entity, runId, documents, proof, manifest } })
  } catch (error) {
    log('ERROR', 'The event of a publication could not be sent.', {
      entity,
      runId,
      error: describeError(error),
    })
  }
}
