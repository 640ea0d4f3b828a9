import { lineFeed } from '../../stored/documents/json-bytes.ts'

/** Lines without their line feeds. A string may contain U+2028, which is not the end of a line here. */
export function* splitLines(lines: Buffer): Generator<Buffer> {
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(lineFeed, start)
    const end = found < 0 ? lines.length : found
    yield lines.subarray(start, end)
    start = end + 1
  }
}
