import { gunzipSync } from 'node:zlib'
import { idHashOf } from '../../../stored/chain/delivered-versions.ts'
import { PartWriter, type StorePart } from '../../../stored/chain/part-writer.ts'
import { isCompactedPart } from '../../../stored/changes/change-keys.ts'
import type { ChangePart } from '../../../stored/changes/changes.ts'
import { PageLines } from '../../../stored/documents/stored-lines.ts'

/** The most parts that a new reader applies in addition to those of the last compaction. */
const maxParts = 100
/** About 100 bytes of memory each. */
const maxIdsInMemory = 250_000

/** Whether the parts of the increments since the chain's snapshot should be replaced. */
export const needsCompaction = (parts: readonly ChangePart[]): boolean =>
  parts.filter(({ key }) => !isCompactedPart(key)).length > maxParts

/**
 * Writes the last record of each document in these parts. Undefined if one of them is gone. One part is in memory at a
 * time, and a bounded number of ids: the parts are read once for each further share of the ids.
 */
export async function compact(
  parts: readonly ChangePart[],
  { readObject, store }: { readObject: (key: string) => Promise<Uint8Array | undefined>; store: StorePart },
  maxIds = maxIdsInMemory,
): Promise<readonly ChangePart[] | undefined> {
  const passes = Math.ceil(parts.reduce((sum, { records }) => sum + records, 0) / maxIds)
  const writer = new PartWriter(store)
  for (let pass = 0; pass < passes; pass++) {
    const written = new Set<string>()
    // From the newest part on, the first record of a document is its last one.
    for (const { key } of parts.toReversed()) {
      const body = await readObject(key)
      if (!body) return undefined
      const isInPass = (id: string) => shareOf(id) % passes === pass && !written.has(id)
      for (const [id, record] of lastRecords(gunzipSync(body), isInPass)) {
        written.add(id)
        await writer.addLine(record)
      }
    }
  }
  return writer.finish()
}

/** A number that is evenly distributed over the ids. */
const shareOf = (id: string) => (id.charCodeAt(0) << 16) | (id.charCodeAt(1) << 8) | id.charCodeAt(2)

function lastRecords(text: Buffer, isWanted: (id: string) => boolean): Map<string, Buffer> {
  const last = new Map<string, Buffer>()
  // A record has the id under this name, whatever the document's field is.
  for (const lines = new PageLines(text, Buffer.from('id')); lines.next(); ) {
    const id = idHashOf(lines.identity())
    if (isWanted(id)) last.set(id, text.subarray(lines.start, lines.end))
  }
  return last
}
