import { closeSync, readSync, writeSync } from 'node:fs'
import { openTemporaryFile } from '../documents/temporary-file.ts'
import { ComparisonFailed } from './failure.ts'

const bufferBytes = 1024 * 1024

/** Keeps documents on disk, by number, until they are needed again. */
export class DocumentFile implements Disposable {
  readonly #file = openTemporaryFile()
  readonly #offsets: Float64Array
  readonly #lengths: Uint32Array
  readonly #buffer = Buffer.allocUnsafe(bufferBytes)
  #buffered = 0
  #written = 0

  /** For documents with the numbers from 0 to `count` - 1. */
  constructor(count: number) {
    this.#offsets = new Float64Array(count)
    this.#lengths = new Uint32Array(count)
  }

  put(index: number, document: Buffer): void {
    if (document.length > bufferBytes - this.#buffered) this.flush()
    this.#offsets[index] = this.#written + this.#buffered
    this.#lengths[index] = document.length
    if (document.length > bufferBytes) this.#write(document)
    else this.#buffered += document.copy(this.#buffer, this.#buffered)
  }

  /** Makes every document that was put readable. */
  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  read(index: number): Buffer {
    const document = Buffer.allocUnsafe(this.#lengths[index] ?? 0)
    const read = readSync(this.#file, document, { position: this.#offsets[index] ?? 0 })
    if (read !== document.length) throw new Error(`Document ${index} of a temporary file is truncated.`)
    return document
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += this.#writeSome(bytes.subarray(at))
  }

  #writeSome(bytes: Uint8Array): number {
    try {
      const written = writeSync(this.#file, bytes, 0, bytes.length, this.#written)
      this.#written += written
      return written
    } catch (cause) {
      throw new ComparisonFailed(
        'The temporary storage is full: too many large documents changed at once. Leave out fields with _fields, or set changes: false for the entity.',
        { cause },
      )
    }
  }
}
