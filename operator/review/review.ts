import { idHashOf } from '../../functions/documents/delivered-versions.ts'
import { isProtected } from '../../functions/documents/document-dates.ts'
import { documentsOfRecords } from '../../functions/documents/record.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { type ListedObject, objectsOfPages, objectsOfParts } from '../snapshot/checked-objects.ts'
import { readFields } from '../snapshot/fields.ts'
import { intactLines } from '../snapshot/intact-lines.ts'
import { type Distribution, DistributionCounter } from './distribution.ts'
import { FingerprintSet, fingerprintOf } from './fingerprints.ts'
import type { Refusal } from './refusal.ts'

/** What publishing a refused snapshot would take away. */
export interface Review extends Distribution {
  /** Unique documents before and after. */
  readonly before: number
  readonly after: number
  /** Documents that are not in the refused snapshot, and those that are new in it. */
  readonly missing: number
  readonly created: number
  /** Missing documents from all over the snapshot, as the platform sent them. */
  readonly sample: readonly string[]
}

const sampleSize = 5

/** Compares the documents that readers have with the refused snapshot, by their ids. Throws `DamagedData`. */
export async function reviewRefusal(refusal: Reviewed, read: ReadObject): Promise<Review> {
  const { before, after } = refusal
  const kept = new FingerprintSet(after.documents)
  for await (const { lines } of documentsOf(snapshotOf(after), read)) kept.add(lines.identity())
  const distribution = new DistributionCounter()
  const missing = new Set<bigint>()
  const sample: string[] = []
  let sampleEvery = 1
  let unique = before?.uniqueIds ?? 0
  let absentAndKept = 0
  const further = furtherParts(refusal)
  const deliveredLate = await idsDeliveredLate(refusal, further, read)
  // Withheld documents and those of increments may have the ids of others.
  const own = new FingerprintSet(further.length > 0 ? (before?.documents ?? 0) : 0)
  const counted = new Set<bigint>()
  if (before)
    for await (const { lines, text, isFurther } of stateOf(before, further, read)) {
      const fingerprint = fingerprintOf(lines.identity())
      if (isFurther && (own.has(fingerprint) || counted.has(fingerprint))) continue
      if (isFurther) {
        unique++
        counted.add(fingerprint)
      } else if (further.length > 0) own.add(lines.identity())
      const document = text.subarray(lines.start, lines.end)
      const isAbsent = !kept.has(fingerprint)
      const isKept = () =>
        deliveredLate.has(fingerprint) ||
        (refusal.delivered.has(idHashOf(lines.identity())) && isProtected(document, refusal))
      const isMissing = isAbsent && !isKept()
      if (missing.has(fingerprint)) continue
      if (isAbsent && !isMissing) absentAndKept++
      distribution.add(readFields(document), isMissing)
      if (!isMissing) continue
      if (missing.size % sampleEvery === 0) sample.push(document.toString())
      missing.add(fingerprint)
      if (sample.length > 2 * sampleSize) {
        // Every second one stays, so that the sample is spread evenly.
        sample.splice(0, sample.length, ...sample.filter((_, index) => index % 2 === 0))
        sampleEvery *= 2
      }
    }
  return {
    before: unique,
    after: after.uniqueIds,
    missing: missing.size,
    created: Math.max(0, after.uniqueIds - (unique - missing.size - absentAndKept)),
    sample: sample.slice(0, sampleSize),
    ...distribution.result(),
  }
}

type Reviewed = Pick<Refusal, 'before' | 'withheld' | 'increments' | 'delivered' | 'protectedAfter' | 'after'>

/** What readers have in addition to a snapshot, in the order in which they apply it. */
interface FurtherPart {
  readonly object: ListedObject
  readonly holds: 'documents' | 'records'
  readonly isDelivered: boolean
}

function furtherParts({ withheld, increments }: Reviewed): FurtherPart[] {
  const documents = withheld.map((part) => ({ ...part, holds: 'documents' as const }))
  const records = increments.map((part) => ({ ...part, holds: 'records' as const, delivered: true }))
  return [...documents, ...records].flatMap(({ holds, delivered = false, ...part }) =>
    objectsOfParts([part]).map((object) => ({ object, holds, isDelivered: delivered })),
  )
}

/** Documents that an increment delivered so late that the refused snapshot may be older: nothing deletes them. */
async function idsDeliveredLate(
  refusal: Reviewed,
  further: readonly FurtherPart[],
  read: ReadObject,
): Promise<Set<bigint>> {
  const ids = new Set<bigint>()
  if (!refusal.before) return ids
  const delivered = further.filter(({ isDelivered }) => isDelivered)
  for await (const { lines, text } of furtherDocuments(delivered, refusal.before.idField, read)) {
    const fingerprint = fingerprintOf(lines.identity())
    // A later part has a newer version.
    if (isProtected(text.subarray(lines.start, lines.end), refusal)) ids.add(fingerprint)
    else ids.delete(fingerprint)
  }
  return ids
}

interface Documents {
  readonly objects: readonly ListedObject[]
  readonly idField: string
}

const snapshotOf = ({ pages, idField }: Manifest): Documents => ({ objects: objectsOfPages(pages), idField })

/** The documents of a snapshot, then those that readers have in addition. */
async function* stateOf(before: Manifest, further: readonly FurtherPart[], read: ReadObject) {
  for await (const each of documentsOf(snapshotOf(before), read)) yield { ...each, isFurther: false }
  for await (const each of furtherDocuments(further, before.idField, read)) yield { ...each, isFurther: true }
}

async function* furtherDocuments(parts: readonly FurtherPart[], idField: string, read: ReadObject) {
  for (const { object, holds } of parts)
    for await (const text of intactLines([object], read))
      yield* linesOf(holds === 'records' ? documentsOfRecords(text) : text, idField)
}

async function* documentsOf({ objects, idField }: Documents, read: ReadObject) {
  for await (const text of intactLines(objects, read)) yield* linesOf(text, idField)
}

function* linesOf(text: Buffer, idField: string) {
  const lines = new StoredLines(text, Buffer.from(idField))
  while (lines.next()) yield { lines, text }
}
