import { hash } from 'node:crypto'
import { inContext } from '../damage.ts'
import { entryBytes, idHashBytes } from '../entries.ts'
import { idOfLine, parseDocument } from '../identity.ts'
import { linesOf, writeEntry } from '../stored-lines.ts'
import { canonicalForm, hashNumber, shortHash } from './canonical.ts'
import { dateIn, isOrdered, versionDate } from './dates.ts'
import { type ChangeRecord, type Op, type RecordedDocument, readRecord } from './records.ts'

/** The id, 64 bits of the content of each document (the first one of `u` is `before`), and what is known of these. */
export const recordBytes = entryBytes + 8 + 1
export const firstContent = idHashBytes
export const secondContent = entryBytes
const factsAt = recordBytes - 1

const ops = ['c', 'u', 'd', 'r'] as const
const facts = { isEqual: 4, isReverted: 8, isOrdered: 16, isMissed: 32, isInvisible: 64 } as const

/** What a comparison needs to know of a record. */
export interface RecordFacts {
  readonly op: Op
  /** The documents are equal for change sets. */
  readonly isEqual: boolean
  /** `after` is older than `before`. */
  readonly isReverted: boolean
  /** What is deleted has a date that ranges can order. */
  readonly isOrdered: boolean
  /** A window should have delivered it, or no window could. */
  readonly isMissed: boolean
  readonly isInvisible: boolean
}

export function factsOf(entries: Buffer, at: number): RecordFacts {
  const known = entries[at + factsAt] ?? 0
  const has = (fact: keyof typeof facts) => (known & facts[fact]) !== 0
  return {
    op: ops[known & 3] ?? 'r',
    isEqual: has('isEqual'),
    isReverted: has('isReverted'),
    isOrdered: has('isOrdered'),
    isMissed: has('isMissed'),
    isInvisible: has('isInvisible'),
  }
}

/** A delivered version as it is remembered: hash of the content, date, and end of the window, in 32 characters of Latin-1. */
export type Versions = ReadonlyMap<string, string>

export interface RecordRules {
  readonly idField: string
  /** The ops that the set may have. */
  readonly ops: string
  readonly ignored: ReadonlySet<string>
  /** The field of the snapshot's ranges. */
  readonly by: string | undefined
  /** What windows have covered, in microseconds. */
  readonly covered: { readonly from: number; readonly to: number } | undefined
  /** Versions that increments have delivered before. */
  readonly versions: Versions
}

export interface IndexedRecords {
  readonly entries: Buffer
  /** What the records add to the sum of the contents; nothing for those of increments. */
  readonly contentChange: bigint
  /** The documents of versions that the records replace; undefined of those that they delete. */
  readonly replaced: ReadonlyMap<string, RecordedDocument | undefined>
}

/** Reads the records of a part. Throws `Damaged`. */
export function indexRecords(text: Buffer, rules: RecordRules): IndexedRecords {
  const lines = [...linesOf(text)]
  const entries = Buffer.alloc(lines.length * recordBytes)
  const replaced = new Map<string, RecordedDocument | undefined>()
  let contentChange = 0n
  for (const [index, line] of lines.entries()) {
    const at = index * recordBytes
    const record = readNumbered(line, index, rules)
    const { op, id, before, after } = record
    writeEntry(entries, at, { id, bytes: (before ?? after)?.text ?? '' })
    if (op === 'u')
      entries.write(hash('sha256', after?.text ?? '', 'binary'), at + secondContent, 8, 'latin1')
    let known = ops.indexOf(op) | factsAbout(record, rules)
    if (op !== 'r') {
      const [removed, added] = [before, after].map(
        (document) => document && shortHash(canonicalForm(document.text, rules.ignored)),
      )
      contentChange += (added ? hashNumber(added) : 0n) - (removed ? hashNumber(removed) : 0n)
      if (added === removed) known |= facts.isEqual
    }
    entries[at + factsAt] = known
    const hashed = entries.toString('latin1', at, at + idHashBytes)
    if (rules.versions.has(hashed)) replaced.set(hashed, after)
  }
  return { entries, contentChange, replaced }
}

/** Entries of the same form, of documents: those of the base, or those that a set withholds. */
export function indexDocuments(text: Buffer, { idField, by }: Pick<RecordRules, 'idField' | 'by'>): Buffer {
  const lines = [...linesOf(text)]
  const entries = Buffer.alloc(lines.length * recordBytes)
  for (const [index, line] of lines.entries()) {
    const document = parseDocument(line)
    writeEntry(entries, index * recordBytes, { id: idOfLine(line, idField, document), bytes: line })
    if (isOrdered(document, by)) entries[index * recordBytes + factsAt] = facts.isOrdered
  }
  return entries
}

/** Names the line of a record that is not right. */
export const readNumbered = (
  line: string,
  index: number,
  rules: Pick<RecordRules, 'ops' | 'idField'>,
): ChangeRecord =>
  inContext(
    (problem) => `has a record ${index + 1} that ${problem}`,
    () => readRecord(line, rules),
  )

function factsAbout({ before, after }: ChangeRecord, { by, covered }: RecordRules): number {
  if (!after) return before && isOrdered(before.value, by) ? facts.isOrdered : 0
  const reverted = before && isOlder(after.value, before.value) ? facts.isReverted : 0
  const { from = Number.NaN, to = Number.NaN } = covered ?? {}
  const date = versionDate(after.value) ?? Number.NaN
  if (date >= from && date <= to) return reverted | facts.isMissed
  const dates = ['createdIn', 'updatedIn'].map((field) => dateIn(after.value, field) ?? 0)
  return reverted | (Math.max(...dates) < from ? facts.isInvisible : 0)
}

/** Whether a version of a document is older than another one. */
export const isOlder = (document: object, than: object): boolean =>
  (versionDate(document) ?? Number.NaN) < (versionDate(than) ?? Number.NaN)

/** How a version is remembered. Times are in microseconds. */
export function versionText(
  document: RecordedDocument,
  ignored: ReadonlySet<string>,
  deliveredAt: number,
): string {
  const times = Buffer.alloc(16)
  times.writeDoubleBE(versionDate(document.value) ?? 0)
  times.writeDoubleBE(deliveredAt, 8)
  return shortHash(canonicalForm(document.text, ignored)) + times.toString('latin1')
}

export const deliveredAtOf = (version: string): number => timeIn(version, 24)
export const versionDateOf = (version: string): number => timeIn(version, 16)
const timeIn = (version: string, at: number) => Buffer.from(version.slice(at), 'latin1').readDoubleBE()
