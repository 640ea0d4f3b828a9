import { entryBytes } from '../check/entries.ts'
import { type Entry, JoinedLines } from '../check/set/joined-lines.ts'
import { recordBytes } from '../check/set/record-entries.ts'
import { pagesOf, type StoredChunk } from '../chunks.ts'
import type { Checker } from '../ports.ts'
import { checkTime } from './stored-documents.ts'

/** The entries of a state or a snapshot: those of its pages, and those of the parts that are applied over them. */
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
  readonly base: Side | undefined
  readonly target: SnapshotSide
  readonly records: readonly Buffer[]
  readonly withheld: readonly Buffer[]
}

/** The ids whose hash begins with certain bits. */
export interface JoinedPass {
  readonly lines: JoinedLines
  /** Ids of which a page of the base has a document. */
  readonly isInSnapshot: (number: number, line: number | undefined) => boolean
  /** The last lines of the base before its increments, of ids that these have delivered. */
  readonly beforeIncrements: ReadonlyMap<number, number>
  /** Two records, or two withheld documents, have this id. */
  readonly repeated: RepeatedId | undefined
}

/** A record or withheld document whose id has another one. */
export interface RepeatedId {
  readonly kind: 'record' | 'withheld'
  readonly index: number
}

/** Ids of one pass, with 56 bytes each. */
const maxIdsPerPass = 2 ** 22

/** Joins what has the same id, in as many passes as the memory requires. */
export async function joinSides(
  publisher: Checker,
  sides: SidesToJoin,
  visit: (pass: JoinedPass) => void,
): Promise<void> {
  const { base, target, records, withheld } = sides
  const documents = Math.max(target.documents, base?.snapshot.documents ?? 0)
  const passes = 2 ** Math.ceil(Math.log2(Math.max(1, documents / maxIdsPerPass)))
  for (let pass = 0; pass < passes; pass++) {
    const lines = new JoinedLines(Math.ceil((documents / passes) * 1.02))
    const isOfPass = (of: Buffer, at: number) => of.readUInt32BE(at) % passes === pass
    const snapshotLines = base?.snapshot.documents ?? 0
    if (base)
      await addSnapshot(
        publisher,
        base.snapshot,
        (line, entry) => isOfPass(entry.of, entry.at) && lines.addLine('base', line, entry),
      )
    const inSnapshot = new Set<number>()
    const beforeIncrements = new Map<number, number>()
    let line = snapshotLines
    for (const entry of entriesIn(base?.withheld ?? [])) {
      if (isOfPass(entry.of, entry.at)) {
        const { number, replaced } = lines.addLine('base', line, entry)
        if (replaced !== undefined && replaced < snapshotLines) inSnapshot.add(number)
      }
      line++
    }
    const firstDelivered = line
    for (const entry of entriesIn(base?.increments ?? [])) {
      if (isOfPass(entry.of, entry.at)) {
        const { number, replaced } = lines.addLine('base', line, entry)
        if (replaced !== undefined && replaced < firstDelivered) beforeIncrements.set(number, replaced)
      }
      line++
    }
    await addSnapshot(
      publisher,
      target,
      (at, entry) => isOfPass(entry.of, entry.at) && lines.addLine('target', at, entry),
    )
    let repeated: RepeatedId | undefined
    for (const [kind, parts] of [
      ['record', records],
      ['withheld', withheld],
    ] as const) {
      let index = 0
      for (const entry of entriesIn(parts)) {
        if (isOfPass(entry.of, entry.at) && lines.addLine(kind, index, entry).replaced !== undefined)
          repeated ??= { kind, index }
        index++
      }
    }
    const isInSnapshot = (number: number, own = snapshotLines) =>
      Math.min(own, beforeIncrements.get(number) ?? own) < snapshotLines || inSnapshot.has(number)
    visit({ lines, isInSnapshot, beforeIncrements, repeated })
  }
}

function* entriesIn(parts: readonly Buffer[]): Generator<Entry> {
  for (const of of parts) for (let at = 0; at < of.length; at += recordBytes) yield { of, at }
}

async function addSnapshot(
  publisher: Checker,
  { chunks, pages }: SnapshotSide,
  add: (line: number, entry: Entry) => void,
): Promise<void> {
  let line = 0
  for await (const { page, entries: of } of pagesOf(publisher, chunks)) {
    checkTime(publisher)
    if (!pages.has(page.key)) continue
    for (let at = 0; at < of.length; at += entryBytes) add(line++, { of, at })
  }
}
