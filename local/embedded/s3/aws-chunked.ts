import { S3Error } from './s3-error.ts'

/**
 * The content of a body in the encoding `aws-chunked` (S3 API reference, "Signature calculations: transferring payload
 * in multiple chunks"). Puts the trailing headers into `trailers`. The signatures of chunks are not checked.
 */
export async function* decodeAwsChunked(
  body: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new Reader(body)
  for (;;) {
    const [, size] = /^([0-9a-f]+)(?:;.*)?$/i.exec(await reader.line()) ?? []
    if (size === undefined) throw new S3Error('InvalidRequest', 'The size of a chunk is malformed.')
    if (Number.parseInt(size, 16) === 0) break
    yield* reader.bytes(Number.parseInt(size, 16))
    if ((await reader.line()) !== '') throw new S3Error('InvalidRequest', 'A chunk is longer than its size.')
  }
  for (let line = await reader.line(); line !== ''; line = await reader.line()) {
    const [name = '', ...value] = line.split(':')
    trailers.set(name.trim().toLowerCase(), value.join(':').trim())
  }
}

class Reader {
  readonly #source: AsyncIterator<Buffer>
  #pending: Buffer = Buffer.alloc(0)

  constructor(body: AsyncIterable<Buffer>) {
    this.#source = body[Symbol.asyncIterator]()
  }

  /** Reads a line and its end. */
  async line(): Promise<string> {
    let end = this.#pending.indexOf('\r\n')
    while (end < 0) {
      this.#pending = Buffer.concat([this.#pending, await this.#next()])
      end = this.#pending.indexOf('\r\n')
    }
    return this.#take(end + 2)
      .subarray(0, end)
      .toString()
  }

  async *bytes(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#pending.length === 0) this.#pending = await this.#next()
      const taken = this.#take(Math.min(left, this.#pending.length))
      left -= taken.length
      yield taken
    }
  }

  #take(size: number): Buffer {
    const taken = this.#pending.subarray(0, size)
    this.#pending = this.#pending.subarray(size)
    return taken
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#source.next()
    if (done) throw new S3Error('IncompleteBody', 'The body ends within its chunks.')
    return value
  }
}
