import { constants, createGzip, type Gzip, type ZlibReset } from 'node:zlib'

/** Compression is the largest part of the work; why this level: docs/adr/0005-compression-level.md. */
const level = 1
/** Room for a whole page: by the usual 16 KB it comes back from the thread pool 20 times, 2 ms a page. */
const chunkSize = 512 * 1024

export interface Compressed {
  readonly bytes: Buffer
  /** Nobody will read `bytes` any more: their room is used again. */
  readonly release: () => void
}

/**
 * Node's types give `reset` to Deflate alone, which is the same class, and know nothing of the place in its buffer
 * where a stream's next piece begins. Should a Node not know it either, each piece has room of its own as before.
 */
type GzipStream = Gzip & ZlibReset & { _outOffset: number }

/**
 * Compresses to gzip, over and over. Its streams and their buffers are used again: what `gzip` of node:zlib makes for
 * each call lives on with its page through the quick garbage collections, and calls for full ones: 2.5 ms a page.
 */
export function createGzipper(): (bytes: Buffer) => Promise<Compressed> {
  const idle: GzipStream[] = []
  return async (bytes) => {
    // Z_FINISH: each write makes a file of its own.
    const stream = idle.pop() ?? (createGzip({ level, chunkSize, flush: constants.Z_FINISH }) as GzipStream)
    const pieces: Buffer[] = []
    const collect = (piece: Buffer) => void pieces.push(piece)
    stream.on('data', collect)
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      stream.write(bytes, (error) => {
        if (error) return reject(error)
        stream.off('error', reject)
        resolve()
      })
    })
    stream.off('data', collect)
    const file = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
    // A file ends with the length of what went into it (RFC 1952).
    if (file.readUInt32LE(file.length - 4) !== bytes.length)
      throw new Error('A page was not compressed whole.')
    stream.reset()
    let lent = true
    return {
      bytes: file,
      release() {
        if (!lent) return
        lent = false
        stream._outOffset = 0
        idle.push(stream)
      },
    }
  }
}
