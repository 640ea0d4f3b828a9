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

/** Compares the documents of both snapshots by their ids. Throws `DamagedData`. */
export async function reviewRefusal(
  { before, withheld, after }: Pick<Refusal, 'before' | 'withheld' | 'after'>,
  read: ReadObject,
): Promise<Review> {
  const kept = new FingerprintSet(after.documents)
  for await (const { lines } of documentsOf(snapshotOf(after), read)) kept.add(lines.identity())
  const distribution = new DistributionCounter()
  const missing = new Set<bigint>()
  const sample: string[] = []
  let sampleEvery = 1
  let unique = before?.uniqueIds ?? 0
  // Only documents that the snapshot lacks are withheld, except what increments delivered in a newer version.
  const own = new FingerprintSet(withheld.length > 0 ? (before?.documents ?? 0) : 0)
  if (before)
    for await (const { lines, text, isWithheld } of stateOf(before, withheld, read)) {
      const fingerprint = fingerprintOf(lines.identity())
      if (isWithheld && own.has(fingerprint)) continue
      if (isWithheld) unique++
      else if (withheld.length > 0) own.add(lines.identity())
      const isMissing = !kept.has(fingerprint)
      if (missing.has(fingerprint)) continue
      const document = text.subarray(lines.start, lines.end)
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
    created: Math.max(0, after.uniqueIds - (unique - missing.size)),
    sample: sample.slice(0, sampleSize),
    ...distribution.result(),
  }
}

interface Documents {
  readonly objects: readonly ListedObject[]
  readonly idField: string
}

const snapshotOf = ({ pages, idField }: Manifest): Documents => ({ objects: objectsOfPages(pages), idField })

/** The documents of a snapshot, then those that are withheld. */
async function* stateOf(before: Manifest, withheld: Refusal['withheld'], read: ReadObject) {
  for await (const each of documentsOf(snapshotOf(before), read)) yield { ...each, isWithheld: false }
  const { idField } = before
  for await (const each of documentsOf({ objects: objectsOfParts(withheld), idField }, read))
    yield { ...each, isWithheld: true }
}

async function* documentsOf({ objects, idField }: Documents, read: ReadObject) {
  for await (const text of intactLines(objects, read, () => undefined)) {
    const lines = new StoredLines(text, Buffer.from(idField))
    while (lines.next()) yield { lines, text }
  }
}
