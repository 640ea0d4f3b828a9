import { describeError, type Log } from '../../runtime/log.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { PublishEvent } from '../../state/events.ts'
import { type Latest, type Manifest, manifestKey, snapshotsPrefix } from '../../state/manifest.ts'
import { type Position, progressOf, startPosition } from '../../state/page.ts'
import type { Run } from '../../state/run.ts'
import type { SnapshotStore } from '../../state/snapshots.aws.ts'
import type { StateStore } from '../../state/sync-state.aws.ts'
import { countPages, type Tally } from '../proof/page-count.ts'
import { refusal } from './guards.ts'
import { planCleanUp, runOutcomeOf, runsOf } from './retention.ts'

export interface PublicationStores {
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly announce: PublishEvent
  readonly log: Log
  readonly now: () => number
}

/** An attempt that came to its end: its pages, and what the platform said of the scroll. */
export interface Counted {
  readonly tally: Tally
  readonly position: Position
}

/** How a run ends that was `publishing`, and what its item then says. */
export type Publication = Partial<Run> & { readonly status: 'published' | 'refused' | 'failed' }

/**
 * Publishes a run that is `publishing`, whose proof stands in `run.result`. It may be called again after a crash at
 * any place: what was done is found done. Pages are there already; then the manifest, `latest.json`, the table.
 * `counted` is what is known of the attempt, if it is.
 */
export async function publish(
  stores: PublicationStores,
  run: Run,
  { entity, counted }: { entity: EntitySettings; counted?: Counted | undefined },
): Promise<Publication> {
  const { snapshots, state } = stores
  const { tally, position } = counted ?? (await count(stores, run))
  const published = await snapshots.readLatest(entity.name)
  if (published?.value.runId !== run.runId) {
    const reason = refusal({
      documents: tally.documents,
      publishedDocuments: published?.value.documents,
      entity,
      acceptShrink: run.acceptShrink,
    })
    if (reason) return { ...progressOf(position), status: 'refused', reason }
  }
  const manifest = await snapshots.putManifest(manifestOf(run, { entity, tally, position }))
  const wanted = {
    runId: run.runId,
    manifest: manifestKey(entity.name, run.runId),
    publishedAt: new Date(stores.now()).toISOString(),
    documents: manifest.documents,
  }
  const latest = await snapshots.moveLatest(entity.name, wanted, published)
  if (latest.runId !== run.runId) {
    const reason = `The newer run ${latest.runId} has published in the meantime.`
    return { ...progressOf(position), status: 'failed', reason }
  }
  await Promise.all([snapshots.moveTable(entity.name, manifest), state.setLatest(entity.name, latest)])
  // Who still reads the table as it was before finds its pages: nothing goes before that has moved.
  await Promise.all([cleanUp(stores, entity, manifest), publishSnapshotEvent(stores, manifest, latest)])
  const { documents, uniqueIds, proof } = manifest
  return {
    ...progressOf(position),
    status: 'published',
    manifest: latest.manifest,
    documents,
    uniqueIds,
    proof,
  }
}

async function count({ state }: PublicationStores, { runId, attempt, pageSize }: Run): Promise<Counted> {
  const position = (await state.lastPage(runId, attempt)) ?? startPosition(pageSize)
  return { tally: await countPages(state.pages(runId, attempt)), position }
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
    idField: entity.idField,
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
    const runs = new Map<string, Run | undefined>()
    for (const runId of runsOf(entity.name, keys)) {
      if (runId < published.runId) runs.set(runId, await state.readRun(entity.name, runId))
    }
    const plan = planCleanUp(published, keys, {
      keepSnapshots: entity.keepSnapshots,
      runOutcomeOf: (runId) => runOutcomeOf(runs.get(runId), now()),
    })
    await snapshots.deleteKeys(plan.manifests)
    await snapshots.deleteKeys(plan.objects)
  } catch (error) {
    stores.log('ERROR', 'The clean-up after a publication failed; the next one finishes it.', {
      entity: entity.name,
      runId: published.runId,
      error: describeError(error),
    })
  }
}

/** Readers that wait for the event also find the snapshot by `latest.json`, so a lost event loses nothing. */
async function publishSnapshotEvent(
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
