import { hash } from 'node:crypto'
import { freeMemory } from '../../functions/runtime/free-memory.ts'
import { type DescribedObject, type PageSource, readPages } from '../chain/read-pages.ts'
import type { StatePart } from '../chain/state-parts.ts'
import { Entries } from '../documents/entries.ts'
import { PageLines } from '../documents/stored-lines.ts'
import { entryBytes, idHashBytes, type PageEntries } from '../snapshots/checked-entries.ts'
import type { Manifest } from '../snapshots/manifest.ts'
import { entryWords, lineWord, pageWord } from './entries.ts'

export interface IndexSource extends PageSource {
  /** What the publisher has counted of the pages of a snapshot, as far as they are still as they were. */
  readonly checkedEntries: (snapshot: Manifest) => AsyncIterable<PageEntries>
}

/** A state of the chain: a snapshot, and all parts of the state, of which its pages are the first. */
export interface StateSide {
  readonly snapshot: Manifest
  readonly parts: readonly StatePart[]
}

/** A state and a snapshot, with an entry for each document. */
export class IndexedSides implements Disposable {
  readonly base = new Entries(entryWords)
  /** Documents of the base that increments delivered. */
  readonly delivered = new Entries(entryWords)
  readonly target = new Entries(entryWords);

  [Symbol.dispose](): void {
    for (const entries of [this.base, this.delivered, this.target]) entries[Symbol.dispose]()
  }
}

export async function indexSides(
  source: IndexSource,
  { base: { snapshot, parts }, target }: { readonly base: StateSide; readonly target: Manifest },
  indexed: IndexedSides,
): Promise<void> {
  const idField = Buffer.from(target.idField)
  const entriesFrom = (wanted: StatePart['from']) =>
    entriesOfPages(source, parts, {
      positions: [...parts.keys()].filter((index) => parts[index]?.from === wanted),
      idField,
    })
  await addEntries(indexed.base, entriesOfSnapshot(source, snapshot))
  await addEntries(indexed.base, entriesFrom('withheld'))
  await addEntries(indexed.delivered, entriesFrom('increment'))
  await addEntries(indexed.target, entriesOfSnapshot(source, target))
}

/** As the publisher has counted them, or else as the pages have them. */
async function* entriesOfSnapshot(source: IndexSource, snapshot: Manifest): AsyncGenerator<PageEntries> {
  const others = new Set(snapshot.pages.keys())
  for await (const page of source.checkedEntries(snapshot)) {
    source.checkTime()
    others.delete(page.index)
    yield page
  }
  const idField = Buffer.from(snapshot.idField)
  yield* entriesOfPages(source, snapshot.pages, { positions: [...others], idField })
}

async function* entriesOfPages(
  source: PageSource,
  objects: readonly DescribedObject[],
  { positions, idField }: { readonly positions: readonly number[]; readonly idField: Buffer },
): AsyncGenerator<PageEntries> {
  for await (const { index, text } of readPages(source, objects, positions)) {
    let entries = ''
    for (const lines = new PageLines(text, idField); lines.next(); ) {
      const content = hash('sha256', text.subarray(lines.start, lines.end), 'binary')
      // A document without an id is identified by its bytes.
      const id = lines.hasId ? hash('sha256', lines.identity(), 'binary') : content
      entries += id.slice(0, idHashBytes) + content.slice(0, entryBytes - idHashBytes)
    }
    freeMemory(text)
    yield { index, entries: Buffer.from(entries, 'latin1') }
  }
}

async function addEntries(target: Entries, pages: AsyncIterable<PageEntries>): Promise<void> {
  const entry = new Uint32Array(entryWords)
  for await (const { index, entries } of pages) {
    entry[pageWord] = index
    for (let at = 0; at < entries.length; at += entryBytes) {
      for (let word = 0; word < pageWord; word++) entry[word] = entries.readUInt32BE(at + 4 * word)
      entry[lineWord] = at / entryBytes
      target.add(entry)
    }
  }
}
