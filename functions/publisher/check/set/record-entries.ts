import { contentBytes, entryBytes, idHashBytes } from '../entries.ts'
import { idOfLine, parseDocument } from '../identity.ts'
import { entryOf, mapLines } from '../stored-lines.ts'
import { canonicalForm, hashNumber, shortHash } from './canonical.ts'
import { dateIn, isOrdered, versionDate } from './dates.ts'
import { type ChangeRecord, ops, type RecordedDocument, readRecord } from './records.ts'

/** The entry of a record's first document, 64 bits of the content of its last one, and what is known of these. */
export const recordBytes = entryBytes + contentBytes + 1
export const firstContent = idHashBytes
export const lastContent = entryBytes
const factsAt = recordBytes - 1

const facts = {
  /** The documents are equal for change sets. */
  isEqual: 4,
  /** `after` is older than `before`. */
  isReverted: 8,
  /** What is deleted or withheld has a date that ranges can order. */
  isOrdered: 16,
  /** A window should have delivered it, or no window could. */
  isMissed: 32,
  isInvisible: 64,
} as const

export type RecordFacts = ReturnType<typeof factsOf>

export function factsOf(entries: Buffer, at: number) {
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

/**
 * Reads the records of a part: their entries, what they add to the sum of the contents (nothing for those of increments), and
 * the documents of versions that they replace, which are undefined where they delete them. Throws `Damaged`.
 */
export function indexRecords(text: Buffer, rules: RecordRules) {
  const replaced = new Map<string, RecordedDocument | undefined>()
  let contentChange = 0n
  const entries = mapLines(text, (line) => {
    const record = readRecord(line, rules)
    const { op, id, before, after } = record
    let known = ops.indexOf(op) | factsAbout(record, rules)
    if (op !== 'r') {
      const [removed, added] = [before, after].map(
        (document) => document && shortHash(canonicalForm(document.text, rules.ignored)),
      )
      contentChange += (added ? hashNumber(added) : 0n) - (removed ? hashNumber(removed) : 0n)
      if (added === removed) known |= facts.isEqual
    }
    const [first = '', last = first] = [before, after].flatMap((document) => document?.text ?? [])
    const entry = entryOf(id, first) + shortHash(last).slice(0, contentBytes) + String.fromCharCode(known)
    const idHash = entry.slice(0, idHashBytes)
    if (rules.versions.has(idHash)) replaced.set(idHash, after)
    return entry
  })
  return { entries: Buffer.from(entries.join(''), 'latin1'), contentChange, replaced }
}

/** Entries of the same form, of documents: those of the base, or those that a set withholds. */
export function indexDocuments(text: Buffer, { idField, by }: Pick<RecordRules, 'idField' | 'by'>): Buffer {
  const entries = mapLines(text, (line) => {
    const document = parseDocument(line)
    const entry = entryOf(idOfLine(line, idField, document), line)
    return entry + entry.slice(firstContent) + String.fromCharCode(orderedFact(document, by))
  })
  return Buffer.from(entries.join(''), 'latin1')
}

const orderedFact = (document: object, by: string | undefined) =>
  isOrdered(document, by) ? facts.isOrdered : 0

function factsAbout({ before, after }: ChangeRecord, { by, covered }: RecordRules): number {
  if (!after) return before ? orderedFact(before.value, by) : 0
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
