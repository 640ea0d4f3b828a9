import { idHashOf } from '../../functions/chain/delivered-versions.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'

const maxHashesInMemory = 1_000_000

/**
 * Line numbers of the documents that a later line with the same id replaces: the platform may send a document twice.
 * Reads the lines once per million documents to bound the memory.
 */
export async function supersededLines(
  read: () => AsyncIterable<Buffer>,
  { idField, documents }: { idField: Buffer; documents: number },
): Promise<ReadonlySet<number>> {
  const passes = Math.ceil(documents / maxHashesInMemory)
  const superseded = new Set<number>()
  for (let pass = 0; pass < passes; pass++) {
    const lastLines = new Map<string, number>()
    let line = 0
    for await (const text of read()) {
      for (const lines = new StoredLines(text, idField); lines.next(); line++) {
        const identity = idHashOf(lines.identity())
        if (identity.charCodeAt(0) % passes !== pass) continue
        const earlier = lastLines.get(identity)
        if (earlier !== undefined) superseded.add(earlier)
        lastLines.set(identity, line)
      }
    }
  }
  return superseded
}
