import { freeMemory } from './free-memory.ts'

/** A wrong Content-Length must not allocate more than this. */
const maxExpectedBytes = 16 * 1024 * 1024
const minBytes = 4 * 1024

/** Collects a response body in one piece of memory, and frees the memory of its chunks as they arrive. */
export class BodyBuffer {
  #bytes: Buffer
  #length = 0

  /** `contentLength`: the header, if the response has one. */
  constructor(contentLength: string | undefined) {
    const expected = Number(contentLength ?? 0)
    this.#bytes = Buffer.allocUnsafeSlow(expected <= maxExpectedBytes ? expected : minBytes)
  }

  get length(): number {
    return this.#length
  }

  /** Adds a chunk, which must not be used afterwards. */
  append(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#bytes.length) this.#resize(Math.max(length, 2 * this.#bytes.length, minBytes))
    chunk.copy(this.#bytes, this.#length)
    this.#length = length
    freeMemory(chunk)
  }

  /** What was collected, in memory of its own. */
  bytes(): Buffer {
    if (this.#length < this.#bytes.length) this.#resize(this.#length)
    return this.#bytes
  }

  #resize(length: number): void {
    const bytes = Buffer.allocUnsafeSlow(length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }
}
