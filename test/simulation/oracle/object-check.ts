import { changesTableKey } from '../../../stored/changes/change-keys.ts'
import { hasEnded, type Run } from '../../../stored/run/run.ts'
import type { Latest, Manifest } from '../../../stored/snapshots/manifest.ts'
import { latestKey, manifestKey, refusedKey, tableKey, tableOf } from '../../../stored/snapshots/manifest.ts'
import type { StoredObject } from '../stores/memory-s3.ts'
import type { InventoryCheck } from './inventory-check.ts'
import { maxDelayMs } from './item-check.ts'
import type { Observed, Publication } from './observed.ts'
import { documentsPresentIn } from './snapshots/presence.ts'
import type { SnapshotCheck } from './snapshots/snapshot-check.ts'

/** What a manifest names. */
export const objectsOf = ({ pages, evidence }: Manifest): string[] =>
  [...pages, ...(evidence ? [evidence] : [])].map(({ key }) => key)

/** A limit in percent, or by default 30, and 10 for more than 10 documents. */
function isTooSmall(before: number, after: number, maxShrinkPercent: number | undefined): boolean {
  const lost = before - after
  const percent = maxShrinkPercent ?? (lost > 10 ? 10 : 30)
  return lost * 100 > percent * before
}

interface ObjectChecks {
  readonly snapshots: SnapshotCheck
  readonly inventory: InventoryCheck
}

/** Checks what is written to the bucket and deleted from it. */
export class ObjectCheck {
  readonly #observed: Observed
  readonly #snapshots: SnapshotCheck
  readonly #inventory: InventoryCheck
  readonly #listed = new Map<string, number>()
  /** The manifests that refused runs would have had. */
  readonly #refused = new Map<string, Buffer>()

  constructor(observed: Observed, { snapshots, inventory }: ObjectChecks) {
    this.#observed = observed
    this.#inventory = inventory
    this.#snapshots = snapshots
  }

  written(
    key: string,
    { before, after }: { before: StoredObject | undefined; after: StoredObject | undefined },
  ): void {
    const [folder, entity = '', runId = ''] = key.split('/')
    // The oracle of tables checks these.
    if (folder === 'iceberg') return
    if (before && !after) this.#inventory.deleted(entity, key)
    if (folder === 'changes') {
      this.#observed.changes.objectWritten(key, { before, after })
      return
    }
    if (key === changesTableKey(entity.replace(/\.changes$/, ''))) return
    if (key === latestKey(entity)) {
      if (after) this.#latestMoves(entity, after)
      else this.#observed.violation('latest-forward', 'latest.json was deleted')
      return
    }
    if (key === tableKey(entity)) {
      this.#tableMoves(entity, after)
      return
    }
    if (after && !before && key === refusedKey(entity, runId)) this.#refused.set(runId, after.body)
    const isAgain = key === manifestKey(entity, runId) || (after && !before?.body.equals(after.body))
    // A check that is repeated stores what it finds.
    if (before && after && isAgain && !key.includes('/check-'))
      this.#observed.violation('write-once', `${key} was written again`)
    // It is no loss if something else has deleted it since it was listed.
    if (after || !before) return
    const run = this.#observed.runs(entity).find((one) => one.runId === runId)
    // Nobody needs a published run's other attempts or its expired snapshot.
    const mayBeWritten = run && hasEnded(run) && run.status !== 'published' && run.abandoned
    const endedMs = mayBeWritten ? Date.parse(run.endedAt) : 0
    if (this.#observed.sim.scheduler.now() - endedMs < maxDelayMs - this.#observed.maxSkewMs)
      this.#observed.violation('late-writers-spared', `${key} was deleted, whose worker may still write`)
    const settings = this.#observed.acting?.deployed.entities.find(({ name }) => name === entity)
    // A comparison that was frozen can make a snapshot the tip after its deletion.
    const mayBeDeleted = settings?.changes === false || this.#observed.changes.tip(entity) !== runId
    if (mayBeDeleted) this.#observed.changes.snapshotDeleted(runId)
    if (settings?.changes && key === manifestKey(entity, runId)) this.#observed.changes.snapshotExpired(runId)
    const kept = this.#observed.published(entity).slice(-2)
    const needed = kept.some(
      ({ manifest }) =>
        manifest.runId === runId && (key === manifestKey(entity, runId) || objectsOf(manifest).includes(key)),
    )
    if (needed)
      this.#observed.violation('pages-whole', `${key} was deleted, which a published snapshot needs`)
  }

  #tableMoves(entity: string, object: StoredObject | undefined): void {
    const list = object?.body.toString()
    const at = this.#observed
      .published(entity)
      .findLastIndex(({ manifest }) => tableOf('snapshots', manifest) === list)
    const before = this.#listed.get(entity) ?? -1
    if (at < before || at < 0)
      this.#observed.violation(
        'table-follows',
        `the table of ${entity} moves from ${before} to ${at}: ${list}`,
      )
    this.#listed.set(entity, at)
  }

  #latestMoves(entity: string, object: StoredObject): void {
    const latest = JSON.parse(object.body.toString()) as Latest
    const history = this.#observed.history.get(entity) ?? []
    this.#observed.history.set(entity, history)
    const before = history.at(-1)
    if (before && before.latest.runId >= latest.runId) {
      this.#observed.violation(
        'latest-forward',
        `latest.json moves from ${before.latest.runId} to ${latest.runId}`,
      )
      return
    }
    const stored = this.#observed.sim.s3.objects.get(manifestKey(entity, latest.runId))
    if (!stored || latest.manifest !== manifestKey(entity, latest.runId)) {
      this.#observed.violation('pages-whole', `latest.json moves to ${latest.runId}, which has no manifest`)
      return
    }
    const manifest = JSON.parse(stored.body.toString()) as Manifest
    if (manifest.runId !== latest.runId || manifest.documents !== latest.documents) {
      this.#observed.violation(
        'proof-true',
        `latest.json has ${object.body.toString()}, its manifest ${stored.body.toString()}`,
      )
      return
    }
    const run = this.#observed.runs(entity).find((one) => one.runId === latest.runId)
    if (!run || hasEnded(run)) {
      this.#observed.violation('end-is-true', `latest.json moves to ${latest.runId}, which is ${run?.status}`)
      return
    }
    this.#observed.sim.trace(
      () => `latest.json moves to ${latest.runId}: ${manifest.documents} documents, ${manifest.proof}`,
    )
    if (run.status === 'publishing' && run.kind !== 'increment' && run.accepted)
      this.#checkAcceptance(run, stored)
    else this.#checkGuards(run, manifest, before)
    const documents = this.#snapshots.readDocuments(manifest)
    if (documents) this.#snapshots.check(run, manifest, documents)
    this.#snapshots.checkEvidence(manifest)
    const present = documentsPresentIn(this.#snapshots.statesDuring(run), manifest.idField)
    history.push({
      latest,
      manifest,
      present,
      documents: documents ?? [],
      tip: this.#observed.changes.tip(entity),
    })
  }

  #checkGuards(run: Run, { documents, uniqueIds }: Manifest, before: Publication | undefined): void {
    // The guards are those of the deployment with which the run began.
    if (run.kind === 'increment') return
    const { maxShrinkPercent, shrinkLimit, allowEmpty } = run.kind === 'full' ? run.plan : run.limits
    const limit = shrinkLimit === undefined ? maxShrinkPercent : undefined
    const known = before?.manifest.uniqueIds ?? 0
    const tooMuch = !run.acceptShrink && isTooSmall(known, uniqueIds, limit)
    if (tooMuch || (documents === 0 && !allowEmpty)) {
      this.#observed.violation(
        'guards-hold',
        `${run.runId} publishes ${uniqueIds} unique documents after ${known}`,
      )
    }
  }

  /** An accepted run publishes exactly what was reviewed. */
  #checkAcceptance({ runId }: Run, { body }: StoredObject): void {
    this.#observed.sim.count('accepted snapshot published')
    if (!this.#refused.get(runId)?.equals(body))
      this.#observed.violation('guards-hold', `${runId} was accepted, and publishes something else`)
  }
}
