/**
 * Frees the memory of a buffer that is no longer used. The garbage collector would find it late, since the object
 * itself is small, and would run often because of it.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  // Small buffers are parts of a larger one that others use too. Pages end a byte before their buffer does.
  const isWhole = buffer.byteLength - byteLength <= 1
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
