import { ByteWriter } from 'hyparquet-writer'

/** Memory of this size returns to the system as soon as it is freed, and takes up nothing until it is written. */
const pieceBytes = 32 * 1024 * 1024

/** Collects a file. A large one is in pieces, so that it is never in memory twice while it grows. */
export class FileBytes extends ByteWriter {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = []

  override ensure(size: number): void {
    if (this.index + size <= pieceBytes) {
      super.ensure(size)
      return
    }
    this.#pieces.push(super.getBytes())
    this.buffer = new ArrayBuffer(Math.max(pieceBytes, size))
    this.view = new DataView(this.buffer)
    this.index = 0
  }

  /** The file as a whole. Nothing can be written after this. */
  takeBytes(): Uint8Array {
    if (this.#pieces.length === 0) return super.getBytes()
    const file = new Uint8Array(this.offset)
    let at = 0
    for (const piece of [...this.#pieces, super.getBytes()]) {
      file.set(piece, at)
      at += piece.length
      piece.buffer.transfer(0)
    }
    return file
  }
}
