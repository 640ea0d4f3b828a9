import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { Damaged, inContext } from './damage.ts'
import { contentBytes } from './entries.ts'
import { idOfLine } from './identity.ts'
import { shortHash } from './set/canonical.ts'

/**
 * Reads an object of documents: one whole gzip stream of UTF-8, in which each line is one JSON object and ends with a
 * line feed. `entries` has one entry for each line, in order. Throws `Damaged`.
 */
export function readLines(object: Buffer, idField: string) {
  const text = readText(object)
  let withoutId = 0
  const entries = mapLines(text, (line) => {
    const id = idOfLine(line, idField)
    if (id === undefined) withoutId++
    return entryOf(id, line)
  })
  return { text, documents: entries.length, withoutId, entries: Buffer.from(entries.join(''), 'latin1') }
}

/** The lines, each of which ends with a line feed. Throws `Damaged`. */
export function readText(object: Buffer): Buffer {
  const text = gunzip(object)
  if (!isUtf8(text)) throw new Damaged('is not UTF-8')
  if (text.length > 0 && text.at(-1) !== 0x0a) throw new Damaged('does not end with a line feed')
  return text
}

export function gunzip(object: Buffer): Buffer {
  try {
    const { buffer, engine } = gunzipSync(object, { info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    // zlib ignores bytes after the stream, and reads a second one. Its length is not that of both (RFC 1952).
    const length = object.readUInt32LE(object.length - 4)
    if (engine.bytesWritten === object.length && length === buffer.length % 2 ** 32) return buffer
  } catch {
    // The same is wrong.
  }
  throw new Damaged('is not one whole gzip stream')
}

/** The lines of a text, each of which ends with a line feed. */
export function* linesOf(text: Buffer): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    yield text.toString('utf8', start, end)
    start = end + 1
  }
}

/** What is read of each line. Its damage names the line. */
export function mapLines<T>(text: Buffer, read: (line: string) => T): T[] {
  const found: T[] = []
  const inLine = (problem: string) => `has a line ${found.length + 1} that ${problem}`
  for (const line of linesOf(text)) found.push(inContext(inLine, () => read(line)))
  return found
}

/** The entry of a document in Latin-1, without an id that of its bytes. */
export const entryOf = (id: string | undefined, document: string): string =>
  shortHash(id ?? document) + shortHash(document).slice(0, contentBytes)
