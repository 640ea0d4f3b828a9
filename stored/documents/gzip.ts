import { constants, createGzip, type Gzip, type ZlibReset } from 'node:zlib'

/** docs/adr/0005-compression-level.md explains this level. */
const level = 1
/** zlib's largest tables, which make it fastest. */
const memLevel = 9
/** Holds several pages, so that most of them come in one piece, which needs no copy. */
const chunkSize = 2 * 1024 * 1024

/** Gzip streams have the `reset` of deflate streams, but Node's types do not include it. */
type GzipStream = Gzip & ZlibReset

/** Compresses each page to a gzip file of its own. Reuses its streams, which are expensive to create. */
export function createGzipper(): (bytes: Buffer) => Promise<Buffer> {
  const idle: GzipStream[] = []
  return async (bytes) => {
    // With Z_FINISH every write completes a gzip file.
    const stream =
      idle.pop() ?? (createGzip({ level, memLevel, chunkSize, flush: constants.Z_FINISH }) as GzipStream)
    const file = await compress(stream, bytes)
    stream.reset()
    idle.push(stream)
    return file
  }
}

async function compress(stream: GzipStream, bytes: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = []
  const collect = (chunk: Buffer) => void chunks.push(chunk)
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
  const [only] = chunks
  const file = chunks.length === 1 && only ? only : Buffer.concat(chunks)
  // A gzip file ends with the size of its content (RFC 1952).
  if (file.readUInt32LE(file.length - 4) !== bytes.length)
    throw new Error('The compressed page is incomplete.')
  return file
}
