import { Damaged } from '../check/damage.ts'
import { entryBytes } from '../check/entries.ts'
import { sumOf } from '../check/ranges.ts'
import { type Entry, JoinedLines } from '../check/set/joined-lines.ts'
import { recordBytes } from '../check/set/record-entries.ts'
import { checkTime, pagesOf, type StoredChunk } from '../chunks.ts'
import type { Checker } from '../ports.ts'
import type { DocumentObject, NumberedLines } from './stored-documents.ts'

/** The entries of a state: those of a snapshot, and those of the parts that are applied over them. */
export interface Side {
  readonly snapshot: SnapshotSide
  readonly withheld: readonly Buffer[]
  readonly increments: readonly Buffer[]
}

export interface SnapshotSide {
  readonly chunks: readonly StoredChunk[]
  /** The keys of its pages. Chunks have repeated pages, too. */
  readonly pages: ReadonlySet<string>
  readonly documents: number
}

export interface SidesToJoin {
  readonly base: Side
  readonly target: SnapshotSide
  readonly records: NumberedLines<DocumentObject>
  readonly withheld: NumberedLines<DocumentObject>
}

/** The ids whose hash begins with certain bits. */
export interface JoinedPass {
  readonly lines: JoinedLines
  /** As many ids, which have the lowest numbers, are those of documents in the pages of the base. */
  readonly idsInPages: number
  /** The last lines of the base before its increments, of ids that these have delivered. */
  readonly beforeIncrements: ReadonlyMap<number, number>
}

/** Ids of one pass, with 56 bytes each. */
const maxIdsPerPass = 2 ** 22

/** Joins what has the same id, in as many passes as the memory requires. Throws `Damaged` if an id has two changes. */
export async function joinSides(
  publisher: Checker,
  { base, target, records, withheld }: SidesToJoin,
  visit: (pass: JoinedPass) => void,
): Promise<void> {
  const documents = Math.max(target.documents, base.snapshot.documents)
  const passes = 2 ** Math.ceil(Math.log2(Math.max(1, documents / maxIdsPerPass)))
  for (let pass = 0; pass < passes; pass++) {
    const lines = new JoinedLines(Math.ceil((documents / passes) * 1.02))
    const isOfPass = (of: Buffer, at: number) => of.readUInt32BE(at) % passes === pass
    const addPages = async (side: 'base' | 'target', snapshot: SnapshotSide) => {
      let line = 0
      for await (const { entries: of } of listedPages(publisher, snapshot))
        for (let at = 0; at < of.length; at += entryBytes, line++)
          if (isOfPass(of, at)) lines.addLine(side, line, { of, at })
    }
    await addPages('base', base.snapshot)
    const idsInPages = lines.ids.size
    const firstWithheld = base.snapshot.documents
    for (const [index, entry] of entriesIn(base.withheld, isOfPass))
      lines.addLine('base', firstWithheld + index, entry)
    const firstDelivered = firstWithheld + sumOf(base.withheld.map(({ length }) => length)) / recordBytes
    const beforeIncrements = new Map<number, number>()
    for (const [index, entry] of entriesIn(base.increments, isOfPass)) {
      const { number, replaced = firstDelivered } = lines.addLine('base', firstDelivered + index, entry)
      if (replaced < firstDelivered) beforeIncrements.set(number, replaced)
    }
    await addPages('target', target)
    const changes = { record: records, withheld }
    for (const kind of ['record', 'withheld'] as const)
      for (const [index, entry] of entriesIn(changes[kind].entries, isOfPass))
        if (lines.addLine(kind, index, entry).replaced !== undefined)
          throw new Damaged(`${changes[kind].nameOf(index)} has an id that occurs twice.`)
    visit({ lines, idsInPages, beforeIncrements })
  }
}

/** The pages of a snapshot with their entries. */
async function* listedPages(publisher: Checker, { chunks, pages }: SnapshotSide) {
  for await (const page of pagesOf(publisher, chunks)) {
    checkTime(publisher)
    if (pages.has(page.page.key)) yield page
  }
}

/** Entries of parts, with their numbers. */
function* entriesIn(
  parts: readonly Buffer[],
  isOfPass: (of: Buffer, at: number) => boolean,
): Generator<readonly [number, Entry]> {
  let index = 0
  for (const of of parts)
    for (let at = 0; at < of.length; at += recordBytes, index++)
      if (isOfPass(of, at)) yield [index, { of, at }]
}
