import { canonicalDocument } from '../../stored/chain/canonical.ts'
import { snapshotParts } from '../../stored/chain/state-parts.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { DocumentFile } from '../../stored/documents/document-file.ts'
import type { EntryRef } from '../../stored/documents/entry-table.ts'
import { readFields } from '../../stored/documents/fields.ts'
import { openTemporaryFile } from '../../stored/documents/temporary-file.ts'
import { lineWord, pageWord } from '../../stored/join/entries.ts'
import { IndexedSides, type IndexSource, indexSides } from '../../stored/join/index-sides.ts'
import { join } from '../../stored/join/join.ts'
import { selected } from '../../stored/join/selected-documents.ts'
import { SelectedLines } from '../../stored/join/selected-lines.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { CommandError, DamagedData, writeError } from '../errors.ts'
import { entriesOf, type FindContext, type PagePosition } from '../history/find-document.ts'
import { parseRecord } from '../history/record.ts'
import { intactLines, objectsOfPages, objectsOfParts, readIntactLines } from '../snapshot/checked-objects.ts'
import { splitLines } from '../snapshot/lines.ts'
import { type ChangeSummary, ChangeSummaryCounter } from './change-summary.ts'

export interface SnapshotPair {
  readonly before: Manifest
  readonly after: Manifest
  /** Fields that do not count. */
  readonly ignored: ReadonlySet<string>
}

/** A document that differs, and where it is in each snapshot. */
export type Difference =
  | { readonly kind: 'created'; readonly before?: undefined; readonly after: PagePosition }
  | { readonly kind: 'updated'; readonly before: PagePosition; readonly after: PagePosition }
  | { readonly kind: 'deleted'; readonly before: PagePosition; readonly after?: undefined }

export interface Compared {
  /** Created and updated documents in the order of the newer snapshot, then deleted ones in that of the older. */
  readonly differences: readonly Difference[]
  readonly unchanged: number
  readonly summary: ChangeSummary
}

const purposes = { alone: 0, firstPair: 1 } as const

/**
 * Compares any two snapshots of an entity by the equality of change sets, without the rules of a chain: what the second
 * one lacks counts as deleted. Of several documents with one id, the last one counts. Throws `DamagedData`.
 */
export async function compareSnapshots(
  { before, after, ignored }: SnapshotPair,
  context: FindContext,
): Promise<Compared> {
  if (before.idField !== after.idField)
    throw new CommandError(
      'The snapshots identify documents by different fields, so they cannot be compared.',
    )
  const source = indexSource(context)
  using indexed = new IndexedSides()
  const base = { snapshot: before, parts: snapshotParts(before) }
  await indexSides(source, { base, target: after }, indexed)
  const [baseLines, targetLines] = [new SelectedLines(), new SelectedLines()]
  const add = (lines: SelectedLines, { entries, at }: EntryRef, purpose: number) =>
    lines.add(entries[at + pageWord] ?? 0, entries[at + lineWord] ?? 0, purpose)
  let pairs = 0
  const joined = join(indexed, {
    onlyInBase: (ref) => add(baseLines, ref, purposes.alone),
    onlyInTarget: (ref) => add(targetLines, ref, purposes.alone),
    pair(old, current) {
      add(baseLines, old, purposes.firstPair + pairs)
      add(targetLines, current, purposes.firstPair + pairs)
      pairs++
    },
    isAlwaysReported: () => false,
  })
  const counter = new ChangeSummaryCounter(ignored)
  for (const fields of await firstDocuments(after, context.read)) counter.addOther(fields)
  using bases = new DocumentFile(openTemporaryFile(), (error) => writeError('a temporary file', error))
  const positions: PagePosition[] = []
  const deleted: Difference[] = []
  for await (const { page, line, purpose, document } of selected(source, before.pages, baseLines)) {
    const position = { page: page + 1, line }
    if (purpose >= purposes.firstPair) {
      bases.put(document, purpose - purposes.firstPair)
      positions[purpose - purposes.firstPair] = position
    } else {
      deleted.push({ kind: 'deleted', before: position })
      counter.add(document.toString(), undefined)
    }
  }
  const present: Difference[] = []
  let equal = 0
  for await (const { page, line, purpose, document } of selected(source, after.pages, targetLines)) {
    const position = { page: page + 1, line }
    const pair = purpose - purposes.firstPair
    const earlier = positions[pair]
    if (!earlier) {
      present.push({ kind: 'created', after: position })
      counter.add(undefined, document.toString())
      continue
    }
    const old = bases.read(pair)
    if (canonicalDocument(old, ignored) === canonicalDocument(document, ignored)) {
      equal++
      continue
    }
    present.push({ kind: 'updated', before: earlier, after: position })
    counter.add(old.toString(), document.toString())
  }
  const unchanged = joined.unchanged + equal
  return { differences: [...present, ...deleted], unchanged, summary: counter.result() }
}

/** Documents of the first page, with whose values those that were created or deleted are compared. */
async function firstDocuments({ pages }: Pick<Manifest, 'pages'>, read: ReadObject) {
  const [first] = objectsOfPages(pages.slice(0, 1))
  return first ? (await readIntactLines(first, read)).map(readFields) : []
}

const indexSource = (context: FindContext): IndexSource => ({
  // A copy, since the memory of what was read is freed.
  readObject: async (key) => {
    const body = await context.read(key)
    return body && Uint8Array.from(body)
  },
  checkTime: () => undefined,
  damaged: (message) => new DamagedData(`The stored data is damaged: ${message}`),
  checkedEntries: (snapshot) => entriesOf(context, snapshot),
})

/**
 * Summarizes the records of a change set. `snapshot`: that of its run, with whose documents those that were created or deleted
 * are compared; undefined if it is no longer kept. An increment does not know what was before. Throws `DamagedData`.
 */
export async function summarizeSet(
  set: SetManifest,
  snapshot: Pick<Manifest, 'pages'> | undefined,
  read: ReadObject,
): Promise<ChangeSummary> {
  const counter = new ChangeSummaryCounter(new Set(set.ignore))
  if (set.kind !== 'changes') return counter.result()
  for (const fields of snapshot ? await firstDocuments(snapshot, read) : []) counter.addOther(fields)
  for await (const text of intactLines(objectsOfParts(set.parts), read)) {
    for (const line of splitLines(text)) {
      const { before, after } = parseRecord(line)
      counter.add(before, after)
    }
  }
  return counter.result()
}
