import { gunzipSync } from 'node:zlib'
import { idHashOf } from '../../chain/delivered-versions.ts'
import { PartWriter, type StorePart } from '../../chain/part-writer.ts'
import { StoredLines } from '../../documents/stored-lines.ts'
import { type ChangePart, isCompactedPart } from '../../state/changes/changes.ts'

/** The most parts that a new reader applies in addition to those of the last compaction. */
const maxParts = 100
/** If the parts are larger, they are not compacted: a worker does not have the memory. */
const maxBytes = 64 * 1024 * 1024

/** Whether the parts of the increments since the chain's snapshot should become one. */
export function needsCompaction(parts: readonly ChangePart[]): boolean {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  return parts.filter(({ key }) => !isCompactedPart(key)).length > maxParts && bytes <= maxBytes
}

export interface CompactionIo {
  readonly readObject: (key: string) => Promise<Uint8Array | undefined>
  readonly store: StorePart
}

/** Writes the last record of each document in these parts. Undefined if one of them is gone. */
export async function compact(
  parts: readonly ChangePart[],
  { readObject, store }: CompactionIo,
): Promise<readonly ChangePart[] | undefined> {
  const texts: Buffer[] = []
  for (const { key } of parts) {
    const body = await readObject(key)
    if (!body) return undefined
    texts.push(gunzipSync(body))
  }
  const last = new Map<string, Buffer>()
  // A record has the id under this name, whatever the document's field is.
  for (const text of texts)
    for (const lines = new StoredLines(text, Buffer.from('id')); lines.next(); ) {
      const id = idHashOf(lines.identity())
      last.delete(id)
      last.set(id, text.subarray(lines.start, lines.end))
    }
  const writer = new PartWriter(store)
  for (const record of last.values()) await writer.addLine(record)
  return writer.finish()
}
