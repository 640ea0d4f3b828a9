import { freeMemory } from '../../functions/runtime/free-memory.ts'
import { type DescribedObject, type PageSource, readPages } from '../chain/read-pages.ts'
import type { StatePart } from '../chain/state-parts.ts'
import { lineFeed } from '../documents/json-bytes.ts'
import type { SelectedLines } from './selected-lines.ts'

interface SelectedDocument {
  /** The position of its object, and its line there. */
  readonly page: number
  readonly line: number
  readonly purpose: number
  /** Valid until the next one is read. */
  readonly document: Buffer
}

/** The selected documents, in the order of the objects. Those without any are not read. */
export async function* selected(
  source: PageSource,
  objects: readonly (DescribedObject & Pick<StatePart, 'documents'>)[],
  lines: SelectedLines,
): AsyncGenerator<SelectedDocument> {
  const linesOf = (page: number) => (lines.ofPage(page).at(-1)?.line ?? 0) + 1
  const beginnings = objects.map((object, page) => ({
    ...object,
    used: { lines: linesOf(page), of: object.documents },
  }))
  for await (const { index: page, text } of readPages(source, beginnings, lines.pages())) {
    const documentAt = documentsOf(text)
    for (const { line, purpose } of lines.ofPage(page))
      yield { page, line, purpose, document: documentAt(line) }
    // The beginning of a page does not fill its buffer.
    freeMemory(new Uint8Array(text.buffer))
  }
}

/** Finds the documents of a page by their lines, which must ascend. */
function documentsOf(text: Buffer): (wanted: number) => Buffer {
  let line = 0
  let start = 0
  return (wanted) => {
    for (; line < wanted; line++) start = text.indexOf(lineFeed, start) + 1
    const end = text.indexOf(lineFeed, start)
    return text.subarray(start, end < 0 ? text.length : end)
  }
}
