import { documentsOfRecords } from '../../functions/chain/record.ts'
import { addReviewed } from '../../functions/chain/reviewed-ids.ts'
import { FingerprintSet, fingerprintOf } from '../../functions/documents/fingerprint-set.ts'
import type { Identity } from '../../functions/documents/identity.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'
import type { ChangePart } from '../../functions/state/changes/changes.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { type ManifestObject, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { readFields } from '../snapshot/fields.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import { type Distribution, DistributionCounter } from './distribution.ts'
import type { ReviewedRefusal } from './refusal.ts'
import { Sample } from './sample.ts'

/** What publishing a refused snapshot would take away. */
export interface Review extends Distribution {
  /** Unique documents that readers have before and after. */
  readonly before: number
  readonly after: number
  /** Documents that readers would lose, and those that are new. */
  readonly missing: number
  readonly created: number
  /** Missing documents from all over the snapshot, as the platform sent them. */
  readonly sample: readonly string[]
}

/** Describes what would be deleted, as the comparison has recorded it. Throws `DamagedData`. */
export async function reviewRefusal(refusal: Reviewed, read: ReadObject): Promise<Review> {
  const { before, after } = refusal
  const deleted = refusal.deleted && (await readDeleted(refusal.deleted, read))
  const present = new FingerprintSet(after.documents)
  for await (const { lines } of documentsOf(snapshotOf(after), read))
    present.add(fingerprintOf(lines.identity()))
  const distribution = new DistributionCounter()
  let missing = 0
  let withheld = 0
  const sample = new Sample()
  const further = furtherParts(refusal)
  const versions = new ReviewedVersions(before ? await findRepeated(before, read) : new Map())
  if (before)
    for await (const { lines } of furtherDocuments(further, before.idField, read))
      versions.addFurther(lines.identity())
  if (before)
    for await (const { lines, text, part } of stateOf(before, further, read)) {
      const fingerprint = fingerprintOf(lines.identity())
      if (!versions.isLast(fingerprint, part)) continue
      const document = text.subarray(lines.start, lines.end)
      const isAbsent = !present.has(fingerprint)
      const isMissing = isAbsent && (deleted?.has(fingerprint) ?? true)
      distribution.add(readFields(document), isMissing)
      if (isMissing) missing++
      else if (isAbsent) withheld++
      if (isMissing) sample.add(document)
    }
  const unique = (before?.uniqueIds ?? 0) + versions.additional
  return {
    before: unique,
    after: after.uniqueIds + withheld,
    missing,
    created: Math.max(0, after.uniqueIds - (unique - missing - withheld)),
    sample: sample.documents(),
    ...distribution.result(),
  }
}

async function readDeleted(parts: readonly ChangePart[], read: ReadObject): Promise<FingerprintSet> {
  const ids = new FingerprintSet(parts.reduce((sum, { records }) => sum + records, 0))
  for await (const lines of intactLines(objectsOfParts(parts), read)) addReviewed(ids, lines)
  return ids
}

/** How often the snapshot has each document that it has more than once. */
async function findRepeated(snapshot: Manifest, read: ReadObject): Promise<Map<bigint, number>> {
  if (snapshot.documents === snapshot.uniqueIds) return new Map()
  const fingerprints = new FingerprintSet(snapshot.documents)
  for await (const { lines } of documentsOf(snapshotOf(snapshot), read))
    fingerprints.add(fingerprintOf(lines.identity()))
  return fingerprints.repeated()
}

/** The versions of documents that readers have, of which the last one counts, as in a comparison. */
class ReviewedVersions {
  /** Of documents that the snapshot has more than once, how many versions are still to come. */
  readonly #repeated: Map<bigint, number>
  /** Of documents after the snapshot, how many versions are still to come. */
  readonly #further = new Map<bigint, number>()
  readonly #inSnapshot = new Set<bigint>()

  constructor(repeated: Map<bigint, number>) {
    this.#repeated = repeated
  }

  addFurther(identity: Identity): void {
    const fingerprint = fingerprintOf(identity)
    this.#further.set(fingerprint, (this.#further.get(fingerprint) ?? 0) + 1)
  }

  /** Whether no later version replaces this one. Must be called once for each version, in order. */
  isLast(fingerprint: bigint, { holds }: Part): boolean {
    if (holds === 'snapshot' && this.#further.has(fingerprint)) {
      this.#inSnapshot.add(fingerprint)
      return false
    }
    const versions = holds === 'snapshot' ? this.#repeated : this.#further
    const left = versions.get(fingerprint) ?? 1
    if (left > 1) versions.set(fingerprint, left - 1)
    return left === 1
  }

  /** How many documents the snapshot lacks, once `isLast` has been called for all versions. */
  get additional(): number {
    return this.#further.size - this.#inSnapshot.size
  }
}

type Reviewed = Pick<ReviewedRefusal, 'before' | 'withheld' | 'increments' | 'deleted' | 'after'>

/** A place with documents that readers have. */
interface Part {
  readonly holds: 'snapshot' | 'withheld' | 'records'
}

/** What readers have in addition to a snapshot, in the order in which they apply it. */
interface FurtherPart extends Part {
  readonly object: ManifestObject
}

function furtherParts({ withheld, increments }: Reviewed): FurtherPart[] {
  return [
    ...objectsOfParts(withheld).map((object) => ({ object, holds: 'withheld' as const })),
    ...objectsOfParts(increments).map((object) => ({ object, holds: 'records' as const })),
  ]
}

interface Documents {
  readonly objects: readonly ManifestObject[]
  readonly idField: string
}

const snapshotOf = ({ pages, idField }: Manifest): Documents => ({ objects: objectsOfPages(pages), idField })

const inSnapshot: Part = { holds: 'snapshot' }

/** The documents of a snapshot, then those that readers have in addition. */
async function* stateOf(before: Manifest, further: readonly FurtherPart[], read: ReadObject) {
  for await (const each of documentsOf(snapshotOf(before), read)) yield { ...each, part: inSnapshot }
  yield* furtherDocuments(further, before.idField, read)
}

async function* furtherDocuments(parts: readonly FurtherPart[], idField: string, read: ReadObject) {
  for (const part of parts)
    for await (const text of intactLines([part.object], read))
      for (const each of linesOf(part.holds === 'records' ? documentsOfRecords(text) : text, idField))
        yield { ...each, part }
}

async function* documentsOf({ objects, idField }: Documents, read: ReadObject) {
  for await (const text of intactLines(objects, read)) yield* linesOf(text, idField)
}

function* linesOf(text: Buffer, idField: string) {
  const lines = new StoredLines(text, Buffer.from(idField))
  while (lines.next()) yield { lines, text }
}
