import { formatAge } from '../../functions/runtime/format.ts'
import type { Page } from '../../stored/chain/read-pages.ts'
import { documentsOfRecords } from '../../stored/chain/record.ts'
import { addReviewed } from '../../stored/chain/reviewed-ids.ts'
import { partsOver, type StatePart, snapshotParts } from '../../stored/chain/state-parts.ts'
import { findSuperseded, type SupersededLines } from '../../stored/chain/superseded.ts'
import { comparedSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import { readFields } from '../../stored/documents/fields.ts'
import { FingerprintSet, fingerprintOf } from '../../stored/documents/fingerprint-set.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { RunView } from '../../stored/views.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { readWaitingRefusal } from '../changes/waiting-refusal.ts'
import { intactLines, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { type Distribution, DistributionCounter } from './distribution.ts'

/** What publishing a refused snapshot would take away. */
export interface ShownReview extends Distribution {
  /** Unique documents that readers have afterwards, and those of them that are new. */
  readonly after: number
  readonly created: number
  /** Missing documents from all over the snapshot, as the platform sent them. */
  readonly sample: readonly string[]
}

/** Describes what would be deleted, as the comparison has recorded it. Throws `DamagedData`. */
export async function reviewRefusal(refusal: Reviewed, read: ReadObject): Promise<ShownReview> {
  const { before, over, after } = refusal
  const deleted = refusal.deleted && (await readDeleted(refusal.deleted, read))
  const present = new FingerprintSet(after.documents)
  for await (const page of pagesOf(snapshotParts(after), read))
    for (const { fingerprint } of documentsOf(page, after.idField)) present.add(fingerprint)
  const state = before ? [...snapshotParts(before), ...over] : []
  const idField = before?.idField ?? ''
  const isUnique = over.length === 0 && before?.documents === before?.uniqueIds
  const superseded = isUnique ? none : await findSuperseded(pagesOf(state, read), idField)
  const distribution = new DistributionCounter()
  let withheld = 0
  const sample = new Sample()
  for await (const page of pagesOf(state, read))
    for (const { document, fingerprint, line } of documentsOf(page, idField)) {
      if (superseded.get(page.index)?.has(line)) continue
      const isAbsent = !present.has(fingerprint)
      const isMissing = isAbsent && (deleted?.has(fingerprint) ?? true)
      distribution.add(readFields(document), isMissing)
      if (isMissing) sample.add(document)
      else if (isAbsent) withheld++
    }
  const spread = distribution.result()
  return {
    ...spread,
    after: after.uniqueIds + withheld,
    created: Math.max(0, after.uniqueIds - (spread.before - spread.missing - withheld)),
    sample: sample.documents(),
  }
}

async function readDeleted(parts: readonly ChangePart[], read: ReadObject): Promise<FingerprintSet> {
  const ids = new FingerprintSet(parts.reduce((sum, { records }) => sum + records, 0))
  for await (const lines of intactLines(objectsOfParts(parts), read)) addReviewed(ids, lines)
  return ids
}

type Reviewed = Pick<ReviewedRefusal, 'before' | 'over' | 'deleted' | 'after'>

const none: SupersededLines = new Map()

async function* pagesOf(parts: readonly StatePart[], read: ReadObject): AsyncGenerator<Page> {
  let index = 0
  for await (const lines of intactLines(objectsOfPages(parts), read)) {
    const text = parts[index]?.holds === 'records' ? documentsOfRecords(lines) : lines
    yield { index: index++, text }
  }
}

function* documentsOf({ text }: Page, idField: string) {
  const lines = new PageLines(text, Buffer.from(idField))
  for (let line = 0; lines.next(); line++) {
    const document = text.subarray(lines.start, lines.end)
    yield { line, document, fingerprint: fingerprintOf(lines.identity()) }
  }
}

const sampleSize = 5

/** Documents from all over the snapshot. */
class Sample {
  readonly #documents: string[] = []
  #seen = 0
  #every = 1

  add(document: Buffer): void {
    if (this.#seen++ % this.#every === 0) this.#documents.push(document.toString())
    if (this.#documents.length <= 2 * sampleSize) return
    // Every second one stays, so that the sample is spread evenly.
    this.#documents.splice(0, Number.POSITIVE_INFINITY, ...this.#documents.filter((_, at) => at % 2 === 0))
    this.#every *= 2
  }

  documents(): string[] {
    return this.#documents.slice(0, sampleSize)
  }
}

/** What a guard refused: a snapshot, or the change set from the tip to it. */
export interface ReviewedRefusal {
  readonly guard: 'snapshot' | 'changes'
  readonly entity: string
  readonly runId: string
  readonly reason: string
  /** When the comparison refused a change set, which another comparison may refuse again; undefined of a snapshot. */
  readonly refusedAt: string | undefined
  /** The snapshot that readers have; undefined before the first publication. */
  readonly before: Manifest | undefined
  /** What readers have over that snapshot. */
  readonly over: readonly StatePart[]
  /** The documents that would be deleted; undefined if it is every one that the refused snapshot lacks. */
  readonly deleted: readonly ChangePart[] | undefined
  readonly after: Manifest
}

export interface RefusalStores {
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
}

/** Undefined if nothing was refused in the run, or if what was refused is gone or has been published since. */
export async function findRefusal(
  { snapshots, changes }: RefusalStores,
  { entity, runId, status, reason }: Pick<RunView, 'entity' | 'runId' | 'status' | 'reason'>,
): Promise<ReviewedRefusal | undefined> {
  const of = { entity, runId }
  if (status === 'refused') {
    const [after, latest] = await Promise.all([
      snapshots.readRefused(entity, runId),
      snapshots.readLatest(entity),
    ])
    const before = latest && (await snapshots.readManifest(entity, latest.value.runId))
    return (
      after && {
        ...of,
        guard: 'snapshot',
        reason: reason ?? '',
        refusedAt: undefined,
        before,
        over: [],
        deleted: undefined,
        after,
      }
    )
  }
  const refused = await readWaitingRefusal(changes, entity, runId)
  if (!refused) return undefined
  const [before, set, after] = await Promise.all([
    snapshots.readManifest(entity, comparedSnapshotRun(refused)),
    changes.readManifest(entity, refused.base),
    snapshots.readManifest(entity, runId),
  ])
  const over = set ? partsOver(set.value) : []
  const { reason: why, refusedAt, reviewedParts: deleted } = refused
  return after && { ...of, guard: 'changes', reason: why, refusedAt, before, over, deleted, after }
}

/** Why there is nothing to review or accept in a run: who has decided already, or that nobody needs to. */
export async function nothingRefused(
  { changes }: { readonly changes: Pick<ChangeSetStore, 'readManifest'> },
  { entity, runId, status, by, endedAt }: Pick<RunView, 'entity' | 'runId' | 'status' | 'by' | 'endedAt'>,
  now: number,
): Promise<string> {
  if (status === 'refused')
    return `The refused snapshot of run ${runId} is gone. Refused snapshots are kept until a newer run publishes. A later refusal keeps only the newest seven of the last 30 days.`
  if (by !== null) {
    const since =
      endedAt === null ? 'which is being published' : `which was published ${formatAge(endedAt, now)}`
    return `${by} accepted the snapshot of run ${runId} of ${entity}, ${since}.`
  }
  const acceptedBy = (await changes.readManifest(entity, runId))?.value.by
  if (acceptedBy !== undefined) return `${acceptedBy} accepted the change set of run ${runId} of ${entity}.`
  return `Run ${runId} of ${entity} needs no decision: its status is ${status}, and no refused change set of it waits for one.`
}
