/**
 * Values in the encoding PLAIN of Parquet, one after the other: little-endian numbers, and bytes after their length.
 * Booleans are a byte each.
 */
export class PlainValues {
  bytes = Buffer.allocUnsafeSlow(1024)
  view = viewOf(this.bytes)
  length = 0

  appendByte(byte: number): void {
    this.#reserve(1)
    this.bytes[this.length++] = byte
  }

  appendInt32(value: number): void {
    this.#reserve(4)
    this.view.setInt32(this.length, value, true)
    this.length += 4
  }

  /** Appends a safe integer as 64 bits. */
  appendInt64(value: number): void {
    this.#reserve(8)
    // Storing the number keeps it modulo 2^32, which is the lower half.
    this.view.setInt32(this.length, value, true)
    this.view.setInt32(this.length + 4, Math.floor(value / 2 ** 32), true)
    this.length += 8
  }

  appendBigInt64(value: bigint): void {
    this.#reserve(8)
    this.view.setBigInt64(this.length, value, true)
    this.length += 8
  }

  appendDouble(value: number): void {
    this.#reserve(8)
    this.view.setFloat64(this.length, value, true)
    this.length += 8
  }

  /** Appends an integer as `size` bytes in two's complement, the highest one first. */
  appendBigEndian(value: bigint, size: number): void {
    this.#reserve(size)
    let rest = value
    for (let at = this.length + size - 1; at >= this.length; at--) {
      this.bytes[at] = Number(rest & 0xffn)
      rest >>= 8n
    }
    this.length += size
  }

  /** Appends the bytes from `start` to `end`. */
  appendBytes(source: Buffer, start: number, end: number): void {
    const size = end - start
    this.#reserve(4 + size)
    this.view.setInt32(this.length, size, true)
    const target = this.length + 4
    if (size > maxLoopLength) source.copy(this.bytes, target, start, end)
    else for (let at = 0; at < size; at++) this.bytes[target + at] = source[start + at] ?? 0
    this.length = target + size
  }

  appendString(string: string): void {
    this.#reserve(4 + 3 * string.length)
    const size = this.bytes.write(string, this.length + 4)
    this.view.setInt32(this.length, size, true)
    this.length += 4 + size
  }

  /** Appends the value that is from `start` to `end` in another list. */
  appendFrom({ bytes }: PlainValues, start: number, end: number): void {
    this.#reserve(end - start)
    bytes.copy(this.bytes, this.length, start, end)
    this.length += end - start
  }

  #reserve(size: number): void {
    const needed = this.length + size
    if (needed <= this.bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(bytes, 0, 0, this.length)
    this.bytes = bytes
    this.view = viewOf(bytes)
  }
}

/** Copying fewer bytes one by one is faster than a call. */
const maxLoopLength = 48

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)
