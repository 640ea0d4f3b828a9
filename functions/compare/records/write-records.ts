import { ContentSum } from '../../chain/content-sum.ts'
import type { PartWriter } from '../../chain/part-writer.ts'
import type { PageSource } from '../../chain/read-pages.ts'
import { createdRecord, deletedRecord, identify, updatedRecord } from '../../chain/record.ts'
import { reviewedLine } from '../../chain/reviewed-ids.ts'
import { IdSum, idHashWords, writeIdHash } from '../../documents/id-hash.ts'
import type { Identity } from '../../documents/identity.ts'
import type { ChangePart, IncrementAudit } from '../../state/changes/changes.ts'
import { AuditCount, type DeliveredRules, isHeld, VersionsAfterSet } from './delivered-rules.ts'
import type { Written } from './proof.ts'
import { type ComparedSide, selected } from './selected-documents.ts'
import { purposes, type Selection } from './selection.ts'

/** The two sides of a comparison, and what counts in it. */
export interface Sides {
  readonly source: PageSource
  readonly base: ComparedSide
  readonly target: ComparedSide
  readonly idField: string
  readonly ignore: readonly string[]
  readonly delivered: DeliveredRules | undefined
}

export interface Writers {
  readonly records: PartWriter
  /** For the ids of documents that a refused set would delete. */
  readonly reviewed: PartWriter
  readonly withheld: WithheldWriters
}

/** By why a document is withheld (see `purposes`). */
type WithheldWriters = Readonly<Record<'uncounted' | 'counted' | 'delivered', PartWriter>>

/** Writes the records of the selected documents. Returns the counts, which do not include other documents. */
export async function writeRecords(
  sides: Sides,
  selection: Selection,
  writers: Writers,
): Promise<WrittenSet> {
  const contents = new ContentSum(sides.ignore)
  const output = { ...writers, contents, bases: new Uint32Array(selection.pairs) }
  const versions = new VersionsAfterSet(sides.delivered, new Set(sides.ignore))
  const absent = await writeAbsent(sides, selection, { ...output, versions })
  const present = await writePresent(sides, selection, { ...output, versions })
  return { ...absent, ...present, contentChange: contents.value(), versions }
}

/** Writes the ids of the documents that a refused set would delete: what a person reviews. */
export async function writeReviewed(
  { source, base, idField }: Pick<Sides, 'source' | 'base' | 'idField'>,
  { base: selectedLines }: Selection,
  { reviewed }: Pick<Writers, 'reviewed'>,
): Promise<readonly ChangePart[]> {
  const idFieldBytes = Buffer.from(idField)
  for await (const { read, purpose } of selected(source, base, selectedLines))
    if (purpose === purposes.deleted)
      await reviewed.addLine(reviewedLine(identify(read(), idFieldBytes).identity))
  return reviewed.finish()
}

/** What was written, and what increments should have delivered of it. */
export interface WrittenSet extends Written {
  readonly audit: IncrementAudit
  /** What the records add to the sum of the contents. */
  readonly contentChange: bigint
  /** What increments have delivered, after the set. */
  readonly versions: VersionsAfterSet
}

interface Output extends Writers {
  /** The base of each pair, by its number in the saved lines. */
  readonly bases: Uint32Array
  readonly contents: ContentSum
  readonly versions: VersionsAfterSet
}

/** Reads the base: writes deleted and withheld documents, and keeps the others for their updates. */
async function writeAbsent(
  { source, base, idField }: Sides,
  selection: Selection,
  { records, withheld, bases, contents, versions }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  const deletedIds = new IdTotal()
  const withheldIds = new IdTotal()
  for await (const { saved, read, purpose } of selected(source, base, selection.base)) {
    if (purpose >= purposes.firstPair) {
      bases[purpose - purposes.firstPair] = saved ?? base.saved.keep(read())
      continue
    }
    const document = read()
    const identified = identify(document, idFieldBytes)
    if (purpose === purposes.deleted) {
      contents.remove(contents.canonical(document))
      deletedIds.add(identified.identity)
      versions.delete(identified.identity)
      await records.addLine(...deletedRecord(identified))
    } else {
      withheldIds.add(identified.identity)
      await withheldWriter(withheld, purpose).addLine(identified.document)
    }
  }
  return {
    deleted: deletedIds.count,
    withheld: withheldIds.count,
    deletedIdSum: deletedIds.sum(),
    withheldIdSum: withheldIds.sum(),
  }
}

function withheldWriter({ uncounted, counted, delivered }: WithheldWriters, purpose: number): PartWriter {
  if (purpose === purposes.uncounted) return uncounted
  return purpose === purposes.counted ? counted : delivered
}

/** Reads the target: writes created and updated documents. */
async function writePresent(
  { source, base: { saved }, target, idField, delivered }: Sides,
  selection: Selection,
  { records, withheld, bases, contents, versions }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  const createdIds = new IdTotal()
  let updated = 0
  let rewritten = 0
  let unchanged = 0
  let held = 0
  const audit = new AuditCount(delivered)
  for await (const { read, purpose } of selected(source, target, selection.target)) {
    const document = read()
    const pair = purpose - purposes.firstPair
    if (pair < 0) {
      const identified = identify(document, idFieldBytes)
      createdIds.add(identified.identity)
      contents.add(contents.canonical(document))
      await records.addLine(...createdRecord(identified))
      audit.add(document)
      versions.replace(identified.identity, document)
      continue
    }
    const base = saved.read(bases[pair] ?? 0)
    const hasReturned = selection.hasReturned(pair)
    if (selection.isProtected(pair) && isHeld(base, document)) {
      held++
      selection.hold(pair)
      await withheld.delivered.addLine(base)
      continue
    }
    if (!hasReturned && base.equals(document)) {
      unchanged++
      continue
    }
    const [before, after] = [contents.canonical(base), contents.canonical(document)]
    if (!hasReturned && before === after) {
      rewritten++
      continue
    }
    updated++
    contents.remove(before)
    contents.add(after)
    if (!hasReturned) audit.add(document)
    const identified = identify(document, idFieldBytes)
    versions.replace(identified.identity, document)
    await records.addLine(...updatedRecord(base, identified))
  }
  const counts = { updated, rewritten, unchanged, held, audit: audit.result() }
  return { created: createdIds.count, createdIdSum: createdIds.sum(), ...counts }
}

/** Counts ids and adds up their hashes. */
class IdTotal {
  count = 0
  readonly #sum = new IdSum()
  readonly #hash = new Uint32Array(idHashWords)

  add(identity: Identity): void {
    writeIdHash(identity, this.#hash, 0)
    this.#sum.add(this.#hash, 0)
    this.count++
  }

  sum(): bigint {
    return this.#sum.value()
  }
}
