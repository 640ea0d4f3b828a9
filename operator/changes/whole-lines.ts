import { createReadStream } from 'node:fs'
import { lineFeed } from '../../stored/documents/json-bytes.ts'

const chunkBytes = 4 * 1024 * 1024

/** The contents of a file in chunks that end at the end of a line. */
export async function* wholeLines(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    const text = Buffer.concat([rest, chunk as Buffer])
    const end = text.lastIndexOf(lineFeed) + 1
    if (end > 0) yield text.subarray(0, end)
    rest = text.subarray(end)
  }
  if (rest.length > 0) yield rest
}
