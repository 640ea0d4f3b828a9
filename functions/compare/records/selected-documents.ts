import { type Page, type PageSource, readPages, type StoredObject } from '../../chain/read-pages.ts'
import { lineFeed } from '../../documents/json-bytes.ts'
import type { SavedLines } from '../read/saved-lines.ts'
import type { SelectedLines } from './selected-lines.ts'

export interface ComparedSide {
  readonly objects: readonly StoredObject[]
  readonly saved: SavedLines
}

interface SelectedDocument {
  /** The position of its object, and its line there. */
  readonly page: number
  readonly line: number
  readonly purpose: number
  /** Its number in the saved lines, if it was saved. */
  readonly saved: number | undefined
  readonly read: () => Buffer
}

/** The selected documents, in the order of the snapshot. Pages are read again only for lines that were not saved. */
export async function* selected(
  source: PageSource,
  { objects, saved }: ComparedSide,
  selection: SelectedLines,
): AsyncGenerator<SelectedDocument> {
  const lines = selection.sorted(objects.length)
  const isSaved = (page: number) =>
    [...lines.ofPage(page)].every(({ line }) => saved.numberOf(page, line) !== undefined)
  const pages = lines.pages()
  const readAgain = new Set(pages.filter((page) => !isSaved(page)))
  const again = readPages(source, objects, [...readAgain])
  for (const index of pages) {
    const page = readAgain.has(index) ? ((await again.next()).value as Page) : undefined
    const documentAt = page && documentsOf(page)
    for (const { line, purpose } of lines.ofPage(index)) {
      const number = saved.numberOf(index, line)
      const document = documentAt?.(line)
      yield { page: index, line, purpose, saved: number, read: () => document ?? saved.read(number ?? 0) }
    }
  }
}

/** Finds the documents of a page by their lines, which must ascend. */
function documentsOf({ text }: Page): (wanted: number) => Buffer {
  let line = 0
  let start = 0
  return (wanted) => {
    for (; line < wanted; line++) start = text.indexOf(lineFeed, start) + 1
    const end = text.indexOf(lineFeed, start)
    return text.subarray(start, end < 0 ? text.length : end)
  }
}
