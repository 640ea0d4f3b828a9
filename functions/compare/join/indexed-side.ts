import { hash } from 'node:crypto'
import type { Page } from '../../chain/read-pages.ts'
import { Entries } from '../../documents/entries.ts'
import { idHashWords, writeDigestWords, writeIdHash } from '../../documents/id-hash.ts'
import { type Line, LineWindow } from '../read/line-window.ts'
import { SavedLines } from '../read/saved-lines.ts'
import { contentWord, contentWords, entryWords, lineWord, pageWord } from './entries.ts'

/** The documents of one snapshot that were not found unchanged while reading. */
export class IndexedSide implements Disposable {
  readonly entries = new Entries(entryWords)
  readonly saved = new SavedLines()
  readonly #entry = new Uint32Array(entryWords)

  add({ page, line }: Line, entries = this.entries): void {
    const { scanner, text } = page
    const entry = this.#entry
    scanner.moveTo(page.start(line))
    const document = text.subarray(scanner.start, scanner.end)
    const digest = hash('sha256', document, 'binary')
    writeDigestWords(digest, { target: entry, offset: contentWord, words: contentWords })
    // A document without an id is identified by its bytes, and this is their digest.
    if (scanner.hasId) writeIdHash(scanner.identity(), entry, 0)
    else writeDigestWords(digest, { target: entry, offset: 0, words: idHashWords })
    entry[pageWord] = page.index
    entry[lineWord] = line
    entries.add(entry)
    this.saved.save(page.index, line, document)
  }

  /** Adds every document of these pages. Returns how many there are. */
  async addPages(pages: AsyncIterable<Page>, idField: Buffer, entries = this.entries): Promise<number> {
    const window = new LineWindow(pages, idField)
    let documents = 0
    for (await window.fill(); window.hasLine; window.isLow && (await window.fill())) {
      const line = window.line(0)
      if (line) this.add(line, entries)
      window.advance()
      documents++
    }
    return documents
  }

  [Symbol.dispose](): void {
    this.entries[Symbol.dispose]()
    this.saved[Symbol.dispose]()
  }
}
