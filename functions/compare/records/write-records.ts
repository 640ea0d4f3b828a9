import { canonicalDocument } from '../../../stored/chain/canonical.ts'
import type { PartWriter } from '../../../stored/chain/part-writer.ts'
import type { PageSource } from '../../../stored/chain/read-pages.ts'
import { createdRecord, deletedRecord, identify, updatedRecord } from '../../../stored/chain/record.ts'
import { reviewedLine } from '../../../stored/chain/reviewed-ids.ts'
import type { StatePart } from '../../../stored/chain/state-parts.ts'
import type { ChangeCounts, ChangePart, IncrementAudit } from '../../../stored/changes/changes.ts'
import { DocumentFile } from '../../../stored/documents/document-file.ts'
import { IdSum, idHashWords, writeIdHash } from '../../../stored/documents/id-hash.ts'
import { openTemporaryFile } from '../../../stored/documents/temporary-file.ts'
import { selected } from '../../../stored/join/selected-documents.ts'
import type { ManifestPage } from '../../../stored/snapshots/manifest.ts'
import { explainFailedWrite } from '../context.ts'
import { AuditCount, type DeliveredRules, isHeld, VersionsAfterSet } from './delivered-rules.ts'
import { purposes, type Selection } from './selection.ts'

/** The two sides of a comparison, and what counts in it. */
export interface Sides {
  readonly source: PageSource
  readonly base: readonly StatePart[]
  readonly target: readonly ManifestPage[]
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
  const ignored = new Set(sides.ignore)
  const versions = new VersionsAfterSet(sides.delivered, ignored)
  using bases = new DocumentFile(openTemporaryFile(), explainFailedWrite)
  const output = { ...writers, ignored, versions, bases }
  const absent = await writeAbsent(sides, selection, output)
  const present = await writePresent(sides, selection, output)
  return { ...absent, ...present, versions }
}

/** Writes the ids of the documents that a refused set would delete: what a person reviews. */
export async function writeReviewed(
  { source, base, idField }: Pick<Sides, 'source' | 'base' | 'idField'>,
  { base: selectedLines }: Selection,
  { reviewed }: Pick<Writers, 'reviewed'>,
): Promise<readonly ChangePart[]> {
  const idFieldBytes = Buffer.from(idField)
  for await (const { document, purpose } of selected(source, base, selectedLines))
    if (purpose === purposes.deleted)
      await reviewed.addLine(reviewedLine(identify(document, idFieldBytes).identity))
  return reviewed.finish()
}

/** What was written, and what increments should have delivered of it. */
export interface WrittenSet extends Omit<ChangeCounts, 'baseDocuments' | 'held'> {
  readonly held: number
  /** Of id hashes. */
  readonly withheldIdSum: bigint
  readonly audit: IncrementAudit
  /** What increments have delivered, after the set. */
  readonly versions: VersionsAfterSet
}

interface Output extends Writers {
  /** The base of each pair, until its target is read. */
  readonly bases: DocumentFile
  readonly ignored: ReadonlySet<string>
  readonly versions: VersionsAfterSet
}

/** Reads the base: writes deleted and withheld documents, and keeps the others for their updates. */
async function writeAbsent(
  { source, base, idField }: Sides,
  selection: Selection,
  { records, withheld, bases, versions }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  let deleted = 0
  let withheldDocuments = 0
  const withheldIds = new IdSum()
  const hash = new Uint32Array(idHashWords)
  for await (const { document, purpose } of selected(source, base, selection.base)) {
    if (purpose >= purposes.firstPair) {
      bases.put(document, purpose - purposes.firstPair)
      continue
    }
    const identified = identify(document, idFieldBytes)
    if (purpose === purposes.deleted) {
      deleted++
      versions.delete(identified.identity)
      await records.addLine(...deletedRecord(identified))
    } else {
      withheldDocuments++
      writeIdHash(identified.identity, hash, 0)
      withheldIds.add(hash, 0)
      await withheldWriter(withheld, purpose).addLine(identified.document)
    }
  }
  return { deleted, withheld: withheldDocuments, withheldIdSum: withheldIds.value() }
}

function withheldWriter({ uncounted, counted, delivered }: WithheldWriters, purpose: number): PartWriter {
  if (purpose === purposes.uncounted) return uncounted
  return purpose === purposes.counted ? counted : delivered
}

/** Reads the target: writes created and updated documents. */
async function writePresent(
  { source, target, idField, delivered }: Sides,
  selection: Selection,
  { records, withheld, bases, ignored, versions }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  let created = 0
  let updated = 0
  let rewritten = 0
  let unchanged = 0
  let held = 0
  const audit = new AuditCount(delivered)
  for await (const { document, purpose } of selected(source, target, selection.target)) {
    const pair = purpose - purposes.firstPair
    if (pair < 0) {
      const identified = identify(document, idFieldBytes)
      created++
      await records.addLine(...createdRecord(identified))
      audit.add(document)
      versions.replace(identified.identity, document)
      continue
    }
    const base = bases.read(pair)
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
    if (!hasReturned && canonicalDocument(base, ignored) === canonicalDocument(document, ignored)) {
      rewritten++
      continue
    }
    updated++
    if (!hasReturned) audit.add(document)
    const identified = identify(document, idFieldBytes)
    versions.replace(identified.identity, document)
    await records.addLine(...updatedRecord(base, identified))
  }
  const counts = { updated, rewritten, unchanged, held, audit: audit.result() }
  return { created, ...counts }
}
