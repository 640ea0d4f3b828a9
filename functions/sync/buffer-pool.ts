/** Lends buffers that are used again. */
export interface BufferPool {
  /** A buffer of so many bytes, with anything in them. */
  lend(bytes: number): Buffer
  /** Takes a lent buffer back, which nobody may read any more. Any other is left alone. */
  takeBack(buffer: Buffer): void
}

const mostFree = 2

/** A new buffer for each page's body calls for a full garbage collection every fourth page. */
export function createBufferPool(): BufferPool {
  const free: Buffer[] = []
  const lent = new WeakMap<Buffer, Buffer>()
  return {
    lend(bytes) {
      const at = free.findIndex(({ length }) => length >= bytes)
      const [whole = Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.25))] = at < 0 ? [] : free.splice(at, 1)
      const part = whole.subarray(0, bytes)
      lent.set(part, whole)
      return part
    },
    takeBack(buffer) {
      const whole = lent.get(buffer)
      if (!whole) return
      lent.delete(buffer)
      free.push(whole)
      // One that has become too small must not stay forever.
      if (free.length > mostFree) free.shift()
    },
  }
}
