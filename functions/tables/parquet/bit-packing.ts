/** Numbers of a few bits, as Parquet stores dictionary indexes, definition levels and booleans. */
export function packedBits(values: ArrayLike<number>, count: number, width: number): Buffer {
  const packed = Buffer.alloc(Math.ceil(count / 8) * width)
  let at = 0
  let bits = 0
  let length = 0
  for (let index = 0; index < count; index++) {
    bits |= (values[index] ?? 0) << length
    length += width
    for (; length >= 8; length -= 8) {
      packed[at++] = bits
      bits >>>= 8
    }
  }
  if (length > 0) packed[at] = bits
  return packed
}

/** A run of such numbers in the encoding RLE: the number of groups of eight, and their bits. */
export function packedRun(values: ArrayLike<number>, count: number, width: number): Buffer {
  const groups = Math.ceil(count / 8)
  return Buffer.concat([unsignedVarInt((groups << 1) | 1), packedBits(values, count, width)])
}

/** A run of one number of at most eight bits in the encoding RLE. */
export function repeatedRun(value: number, count: number): Buffer {
  return Buffer.concat([unsignedVarInt(count << 1), Buffer.of(value)])
}

function unsignedVarInt(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.of(...bytes, rest)
}
