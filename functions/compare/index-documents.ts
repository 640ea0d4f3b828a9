import { hash } from 'node:crypto'
import { idHashWords, writeDigestWords, writeIdHash } from '../documents/id-hash.ts'
import { StoredLines } from '../documents/stored-lines.ts'
import { contentWord, type Entries, entryWords, lineWord, pageWord } from './entries.ts'
import { type PageSource, readPages, type StoredObject } from './read-pages.ts'

/** Adds an entry for each document of these objects. Returns how many there are. */
export async function indexDocuments(
  source: PageSource,
  { objects, idField }: { readonly objects: readonly StoredObject[]; readonly idField: string },
  entries: Entries,
): Promise<number> {
  const idFieldBytes = Buffer.from(idField)
  const entry = new Uint32Array(entryWords)
  const content = { target: entry, offset: contentWord, words: 2 }
  const id = { target: entry, offset: 0, words: idHashWords }
  let documents = 0
  for await (const { index, text } of readPages(source, objects, [...objects.keys()])) {
    const lines = new StoredLines(text, idFieldBytes)
    for (let line = 0; lines.next(); line++) {
      const digest = hash('sha256', text.subarray(lines.start, lines.end), 'binary')
      writeDigestWords(digest, content)
      // A document without an id is known by its bytes, whose digest this is.
      if (lines.hasId) writeIdHash(lines.identity(), entry, 0)
      else writeDigestWords(digest, id)
      entry[pageWord] = index
      entry[lineWord] = line
      entries.add(entry)
      documents++
    }
  }
  return documents
}
