/** Lends buffers that are used again. */
export interface BufferPool {
  /** A buffer of so many bytes, with anything in them. Small ones are not worth keeping, and are new each time. */
  lend(bytes: number): Buffer
  /** Takes a lent buffer back, which nobody may read any more. Any other is left alone. */
  takeBack(buffer: Buffer): void
}

const minKept = 64 * 1024

/** A new buffer for each page's body calls for a full garbage collection every fourth page. */
export function createBufferPool(): BufferPool {
  const free: Buffer[] = []
  const lent = new WeakMap<Buffer, Buffer>()
  return {
    lend(bytes) {
      if (bytes < minKept) return Buffer.allocUnsafe(bytes)
      const at = free.findIndex(({ length }) => length >= bytes)
      const [found] = free.splice(Math.max(0, at), 1)
      // One that has become too small is let go, so that it does not stay beside the larger one.
      const whole = found && at >= 0 ? found : Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.25))
      const part = whole.subarray(0, bytes)
      lent.set(part, whole)
      return part
    },
    takeBack(buffer) {
      const whole = lent.get(buffer)
      if (!whole) return
      lent.delete(buffer)
      free.push(whole)
    },
  }
}
