import { DocumentFile } from '../../documents/document-file.ts'
import { openTemporaryFile } from '../../documents/temporary-file.ts'
import { explainFailedWrite } from '../failure.ts'

/** Lines beyond this are not saved, but read again from their pages. */
const maxSavedBytes = 512 * 1024 * 1024

/** Lines that a record may need, kept on disk so that their pages are not read again. */
export class SavedLines implements Disposable {
  readonly #file = new DocumentFile(openTemporaryFile(), explainFailedWrite)
  /** The page and line of each document of the file, as one number: they are saved in ascending order. */
  readonly #positions: number[] = []

  save(page: number, line: number, document: Buffer): void {
    if (this.#file.bytes >= maxSavedBytes) return
    this.#file.put(document)
    this.#positions.push(positionOf(page, line))
  }

  /** Keeps a line that was read again. Returns the number to read it with. */
  keep(document: Buffer): number {
    return this.#file.put(document)
  }

  /** The number of a saved line; undefined if it was not saved. */
  numberOf(page: number, line: number): number | undefined {
    const position = positionOf(page, line)
    let low = 0
    let high = this.#positions.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.#positions[middle] ?? 0
      if (found === position) return middle
      if (found < position) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }

  read(number: number): Buffer {
    return this.#file.read(number)
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

const positionOf = (page: number, line: number) => page * 2 ** 32 + line
