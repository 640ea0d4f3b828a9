import { IdSum, idHashWords, writeIdHash } from '../documents/id-hash.ts'
import { lineFeed } from '../documents/json-bytes.ts'
import { canonicalDocument } from './canonical.ts'
import { DocumentFile } from './document-file.ts'
import type { PartWriter } from './part-writer.ts'
import type { Written } from './proof.ts'
import { type PageSource, readPages, type StoredObject } from './read-pages.ts'
import { createdRecord, deletedRecord, identify, updatedRecord } from './record.ts'
import type { SortedLines } from './selected-lines.ts'
import { purposes, type Selection } from './selection.ts'

/** The two sides of a comparison, and what counts in it. */
export interface Sides {
  readonly source: PageSource
  /** The pages of the tip's snapshot, then the parts with its withheld documents. */
  readonly base: readonly StoredObject[]
  readonly target: readonly StoredObject[]
  readonly idField: string
  readonly ignore: readonly string[]
}

export interface Writers {
  readonly records: PartWriter
  readonly withheld: PartWriter
}

/** Reads the selected documents again and writes the records. Returns the counts, except the unchanged documents. */
export async function writeRecords(
  sides: Sides,
  selection: Selection,
  writers: Writers,
): Promise<Omit<Written, 'unchanged'>> {
  using before = new DocumentFile(selection.pairs)
  const absent = await writeAbsent(sides, selection, { ...writers, before })
  before.flush()
  return { ...absent, ...(await writePresent(sides, selection, { ...writers, before })) }
}

type Output = Writers & { readonly before: DocumentFile }

/** Reads the base: writes deleted and withheld documents, and keeps the others for their updates. */
async function writeAbsent(
  { source, base, idField }: Sides,
  selection: Selection,
  { records, withheld, before }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  const deletedIds = new IdTotal()
  const withheldIds = new IdTotal()
  for await (const { document, purpose } of selected(source, base, selection.base.sorted(base.length))) {
    if (purpose >= purposes.firstPair) {
      before.put(purpose - purposes.firstPair, document)
      continue
    }
    const identified = identify(document, idFieldBytes)
    if (purpose === purposes.deleted) {
      deletedIds.add(identified.identity)
      await records.addLine(...deletedRecord(identified))
    } else {
      withheldIds.add(identified.identity)
      await withheld.addLine(document)
    }
  }
  return {
    deleted: deletedIds.count,
    withheld: withheldIds.count,
    deletedIdSum: deletedIds.sum(),
    withheldIdSum: withheldIds.sum(),
  }
}

/** Reads the target: writes created and updated documents. */
async function writePresent(
  { source, target, idField, ignore }: Sides,
  selection: Selection,
  { records, before }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  const ignoredFields = new Set(ignore)
  const createdIds = new IdTotal()
  let updated = 0
  let rewritten = 0
  for await (const { document, purpose } of selected(
    source,
    target,
    selection.target.sorted(target.length),
  )) {
    const pair = purpose - purposes.firstPair
    if (pair < 0) {
      const identified = identify(document, idFieldBytes)
      createdIds.add(identified.identity)
      await records.addLine(...createdRecord(identified))
      continue
    }
    const base = before.read(pair)
    const isUpdate =
      selection.hasReturned(pair) ||
      canonicalDocument(base, ignoredFields) !== canonicalDocument(document, ignoredFields)
    if (isUpdate) {
      updated++
      await records.addLine(...updatedRecord(base, identify(document, idFieldBytes)))
    } else rewritten++
  }
  return { created: createdIds.count, createdIdSum: createdIds.sum(), updated, rewritten }
}

/** The selected documents, in the order of the snapshot. */
async function* selected(source: PageSource, objects: readonly StoredObject[], lines: SortedLines) {
  for await (const { index, text } of readPages(source, objects, lines.pages())) {
    let line = 0
    let start = 0
    for (const { line: wanted, purpose } of lines.ofPage(index)) {
      for (; line < wanted; line++) start = text.indexOf(lineFeed, start) + 1
      const end = text.indexOf(lineFeed, start)
      yield { document: text.subarray(start, end < 0 ? text.length : end), purpose }
    }
  }
}

/** Counts ids and adds up their hashes. */
class IdTotal {
  count = 0
  readonly #sum = new IdSum()
  readonly #hash = new Uint32Array(idHashWords)

  add(identity: Uint8Array): void {
    writeIdHash(identity, this.#hash, 0)
    this.#sum.add(this.#hash, 0)
    this.count++
  }

  sum(): bigint {
    return this.#sum.value()
  }
}
