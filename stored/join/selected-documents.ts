import { freeMemory } from '../../functions/runtime/free-memory.ts'
import { type DescribedObject, type PageSource, readPages } from '../chain/read-pages.ts'
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
  objects: readonly DescribedObject[],
  selection: SelectedLines,
): AsyncGenerator<SelectedDocument> {
  const lines = selection.sorted(objects.length)
  for await (const { index: page, text } of readPages(source, objects, lines.pages())) {
    const documentAt = documentsOf(text)
    for (const { line, purpose } of lines.ofPage(page))
      yield { page, line, purpose, document: documentAt(line) }
    freeMemory(text)
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
