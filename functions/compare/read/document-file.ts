import { closeSync, readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { openTemporaryFile } from '../../documents/temporary-file.ts'
import { ComparisonFailed } from '../failure.ts'

const bufferBytes = 1024 * 1024

/** Keeps documents on disk until they are needed again. */
export class DocumentFile implements Disposable {
  #file: number
  readonly #writeBytes: typeof writeSync
  readonly #offsets: number[] = []
  readonly #lengths: number[] = []
  #buffer = Buffer.alloc(0)
  #buffered = 0
  #written = 0

  constructor(file = openTemporaryFile(), writeBytes = writeSync) {
    this.#file = file
    this.#writeBytes = writeBytes
  }

  /** The size of all documents. */
  get bytes(): number {
    return this.#written + this.#buffered
  }

  /** Returns the number to read the document with: they count from 0. */
  put(document: Buffer): number {
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(bufferBytes)
    if (document.length > bufferBytes - this.#buffered) this.flush()
    this.#offsets.push(this.bytes)
    if (document.length > bufferBytes) this.#write(document)
    else this.#buffered += document.copy(this.#buffer, this.#buffered)
    return this.#lengths.push(document.length) - 1
  }

  /** Makes every document that was put readable. */
  flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  read(number: number): Buffer {
    const document = Buffer.allocUnsafe(this.#lengths[number] ?? 0)
    const read = readSync(this.#file, document, { position: this.#offsets[number] ?? 0 })
    if (read !== document.length) throw new Error(`Document ${number} of a temporary file is cut off.`)
    return document
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    // The next file that is opened may get this descriptor.
    this.#file = -1
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += this.#writeSome(bytes.subarray(at))
  }

  #writeSome(bytes: Uint8Array): number {
    try {
      const written = this.#writeBytes(this.#file, bytes, 0, bytes.length, this.#written)
      this.#written += written
      return written
    } catch (cause) {
      if (!isStorageFull(cause)) throw cause
      throw new ComparisonFailed(
        'too-large',
        'The temporary storage is full: too many large documents changed at once. Leave out fields with _fields, or set changes: false for the entity.',
        { cause },
      )
    }
  }
}

/** No space is left, or the user's quota is used up. Any other failed write is an error of ours or of the disk. */
function isStorageFull(error: unknown): boolean {
  const { errno } = error as NodeJS.ErrnoException
  return errno === -constants.errno.ENOSPC || errno === -constants.errno.EDQUOT
}
