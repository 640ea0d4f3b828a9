import { DocumentFile } from './document-file.ts'

/** Lines beyond this are not saved, but read again from their pages. */
const maxSavedBytes = 512 * 1024 * 1024

/** Lines that a record may need, kept on disk so that their pages are not read again. */
export class SavedLines implements Disposable {
  readonly #file = new DocumentFile()
  /** The page and line of each document of the file, as one number: they are saved in ascending order. */
  readonly #positions: number[] = []
  #bytes = 0

  save(page: number, line: number, document: Buffer): void {
    if (this.#bytes >= maxSavedBytes) return
    this.#bytes += document.length
    this.#file.put(document)
    this.#positions.push(positionOf(page, line))
  }

  /** Makes every saved line readable. */
  flush(): void {
    this.#file.flush()
  }

  has(page: number, line: number): boolean {
    return this.#find(page, line) >= 0
  }

  read(page: number, line: number): Buffer {
    return this.#file.read(this.#find(page, line))
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }

  #find(page: number, line: number): number {
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
    return -1
  }
}

const positionOf = (page: number, line: number) => page * 2 ** 32 + line
