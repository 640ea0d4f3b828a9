import { IdSum, idHashWords, writeIdHash } from '../../documents/id-hash.ts'
import type { Identity } from '../../documents/identity.ts'
import { lineFeed } from '../../documents/json-bytes.ts'
import { DocumentFile } from '../read/document-file.ts'
import { type Page, type PageSource, readPages, type StoredObject } from '../read/read-pages.ts'
import type { SavedLines } from '../read/saved-lines.ts'
import { canonicalDocument } from './canonical.ts'
import type { PartWriter } from './part-writer.ts'
import type { Written } from './proof.ts'
import { createdRecord, deletedRecord, identify, updatedRecord } from './record.ts'
import type { SelectedLines, SortedLines } from './selected-lines.ts'
import { purposes, type Selection } from './selection.ts'

/** The two sides of a comparison, and what counts in it. */
export interface Sides {
  readonly source: PageSource
  readonly base: Side
  readonly target: Side
  readonly idField: string
  readonly ignore: readonly string[]
}

export interface Side {
  readonly objects: readonly StoredObject[]
  readonly saved: SavedLines
}

export interface Writers {
  readonly records: PartWriter
  readonly withheld: PartWriter
}

/** Writes the records of the selected documents. Returns the counts, which do not include other documents. */
export async function writeRecords(sides: Sides, selection: Selection, writers: Writers): Promise<Written> {
  using file = new DocumentFile()
  const before = { file, numbers: new Uint32Array(selection.pairs) }
  const absent = await writeAbsent(sides, selection, { ...writers, before })
  file.flush()
  return { ...absent, ...(await writePresent(sides, selection, { ...writers, before })) }
}

interface Output extends Writers {
  /** The base of each pair, by its number in the file. */
  readonly before: { readonly file: DocumentFile; readonly numbers: Uint32Array }
}

/** Reads the base: writes deleted and withheld documents, and keeps the others for their updates. */
async function writeAbsent(
  { source, base, idField }: Sides,
  selection: Selection,
  { records, withheld, before }: Output,
) {
  const idFieldBytes = Buffer.from(idField)
  const deletedIds = new IdTotal()
  const withheldIds = new IdTotal()
  for await (const { document, purpose } of selected(source, base, selection.base)) {
    if (purpose >= purposes.firstPair) {
      before.numbers[purpose - purposes.firstPair] = before.file.put(document)
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
  let unchanged = 0
  for await (const { document, purpose } of selected(source, target, selection.target)) {
    const pair = purpose - purposes.firstPair
    if (pair < 0) {
      const identified = identify(document, idFieldBytes)
      createdIds.add(identified.identity)
      await records.addLine(...createdRecord(identified))
      continue
    }
    const base = before.file.read(before.numbers[pair] ?? 0)
    const hasReturned = selection.hasReturned(pair)
    if (!hasReturned && base.equals(document)) unchanged++
    else if (!hasReturned && isRewritten(base, document, ignoredFields)) rewritten++
    else {
      updated++
      await records.addLine(...updatedRecord(base, identify(document, idFieldBytes)))
    }
  }
  return { created: createdIds.count, createdIdSum: createdIds.sum(), updated, rewritten, unchanged }
}

function isRewritten(before: Buffer, after: Buffer, ignoredFields: ReadonlySet<string>): boolean {
  return canonicalDocument(before, ignoredFields) === canonicalDocument(after, ignoredFields)
}

/** The selected documents, in the order of the snapshot. Pages are read again only for lines that were not saved. */
async function* selected(source: PageSource, { objects, saved }: Side, selection: SelectedLines) {
  const lines = selection.sorted(objects.length)
  const isSaved = (page: number) => [...lines.ofPage(page)].every(({ line }) => saved.has(page, line))
  const pages = lines.pages()
  const readAgain = new Set(pages.filter((page) => !isSaved(page)))
  const again = readPages(source, objects, [...readAgain])
  for (const page of pages) {
    if (readAgain.has(page)) {
      const { value } = await again.next()
      yield* linesOf(value as Page, lines)
    } else
      for (const { line, purpose } of lines.ofPage(page)) yield { document: saved.read(page, line), purpose }
  }
}

function* linesOf({ index, text }: Page, lines: SortedLines) {
  let line = 0
  let start = 0
  for (const { line: wanted, purpose } of lines.ofPage(index)) {
    for (; line < wanted; line++) start = text.indexOf(lineFeed, start) + 1
    const end = text.indexOf(lineFeed, start)
    yield { document: text.subarray(start, end < 0 ? text.length : end), purpose }
  }
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
