import { closeSync, readSync, writeSync } from 'node:fs'

const bufferBytes = 1024 * 1024

/** Keeps documents in a temporary file until they are needed again. */
export class DocumentFile implements Disposable {
  #file: number
  readonly #explain: (error: unknown) => unknown
  readonly #offsets: number[] = []
  readonly #lengths: number[] = []
  #buffer = Buffer.alloc(0)
  #buffered = 0
  #written = 0

  /** `file`: its descriptor. `explain`: what to throw if a write fails. */
  constructor(file: number, explain: (error: unknown) => unknown) {
    this.#file = file
    this.#explain = explain
  }

  /** The size of all documents. */
  get bytes(): number {
    return this.#written + this.#buffered
  }

  /** Returns the number to read the document with. By default they count from 0. */
  put(document: Buffer, number = this.#lengths.length): number {
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(bufferBytes)
    if (document.length > bufferBytes - this.#buffered) this.#flush()
    this.#offsets[number] = this.bytes
    this.#lengths[number] = document.length
    if (document.length > bufferBytes) this.#write(document)
    else this.#buffered += document.copy(this.#buffer, this.#buffered)
    return number
  }

  read(number: number): Buffer {
    const document = Buffer.allocUnsafe(this.#lengths[number] ?? 0)
    const position = this.#offsets[number] ?? 0
    if (position + document.length > this.#written) this.#flush()
    const read = readSync(this.#file, document, { position })
    if (read !== document.length) throw new Error(`Document ${number} of a temporary file is cut off.`)
    return document
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    // The next file that is opened may get this descriptor.
    this.#file = -1
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  #write(bytes: Uint8Array): void {
    // A disk that becomes full takes a part.
    for (let at = 0; at < bytes.length; ) {
      try {
        const written = writeSync(this.#file, bytes, at, bytes.length - at, this.#written)
        this.#written += written
        at += written
      } catch (error) {
        throw this.#explain(error)
      }
    }
  }
}
