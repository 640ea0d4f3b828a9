import { Damaged } from '../check/damage.ts'
import { canonicalForm, hashNumber, shortHash } from '../check/set/canonical.ts'
import { isOlder } from '../check/set/record-entries.ts'
import { linesOf } from '../check/stored-lines.ts'
import type { Checker } from '../ports.ts'
import { type DocumentObject, documentsAt, type NumberedLines, readTexts } from './stored-documents.ts'

/** Two documents of one id without a record, and why they have none. */
export interface Claim {
  readonly base: number
  readonly target: number
  readonly what: 'rewritten' | 'held'
  /** Whether the snapshot may be older than the base, which an increment delivered. */
  readonly isProtected: boolean
}

/** A line of the base that is added to the sum of the contents, or taken from it. */
export interface SummedLine {
  readonly line: number
  readonly sign: 1n | -1n
}

export interface DocumentsToCompare {
  readonly base: NumberedLines<DocumentObject>
  readonly target: NumberedLines<DocumentObject>
  readonly claims: readonly Claim[]
  readonly summed: readonly SummedLine[]
  readonly idField: string
  readonly ignore: readonly string[]
}

const hashBytes = 16

/** Reads the documents of claims and compares them. Returns what the summed lines add to the sum of the contents. */
export async function compareDocuments(
  publisher: Checker,
  { base, target, claims, summed, idField, ignore }: DocumentsToCompare,
): Promise<bigint> {
  const ignored = new Set(ignore)
  const canonical = Buffer.alloc(hashBytes * claims.length)
  const dates = new Map<number, object>()
  let sum = 0n
  const baseLine = (item: number) => claims[item]?.base ?? summed[item - claims.length]?.line ?? 0
  const items = sortedBy(claims.length + summed.length, baseLine)
  let next = 0
  for await (const text of documentsAt(publisher, base, { wanted: items.map(baseLine), idField })) {
    const item = items[next++] ?? 0
    const content = shortHash(canonicalForm(text, ignored))
    const claim = claims[item]
    if (!claim) sum += (summed[item - claims.length]?.sign ?? 0n) * hashNumber(content)
    else {
      canonical.write(content, hashBytes * item, 'latin1')
      if (claim.isProtected) dates.set(item, datesOf(text))
    }
  }
  const targetLine = (item: number) => claims[item]?.target ?? 0
  const order = sortedBy(claims.length, targetLine)
  next = 0
  for await (const text of documentsAt(publisher, target, { wanted: order.map(targetLine), idField })) {
    const item = order[next++] ?? 0
    const what = claims[item]?.what
    const delivered = dates.get(item)
    const isHeld = delivered !== undefined && isOlder(datesOf(text), delivered)
    if (isHeld !== (what === 'held'))
      throw wrong(
        isHeld
          ? 'is older than what was delivered, and is not held'
          : 'is held, and is not older than what was delivered',
      )
    const content = canonical.toString('latin1', hashBytes * item, hashBytes * (item + 1))
    if (what === 'rewritten' && shortHash(canonicalForm(text, ignored)) !== content)
      throw wrong('differs from that of the base, and has no record')

    function wrong(how: string): Damaged {
      return new Damaged(`${target.nameOf(targetLine(item))} ${how}.`)
    }
  }
  return sum
}

const sortedBy = (count: number, lineOf: (item: number) => number): number[] =>
  Array.from({ length: count }, (_, item) => item).sort((one, other) => lineOf(one) - lineOf(other))

function datesOf(text: string): object {
  const { createdIn, updatedIn } = JSON.parse(text) as Record<string, unknown>
  return { createdIn, updatedIn }
}

/** The sum of the contents of lines that count. */
export async function sumContents(
  publisher: Checker,
  objects: readonly DocumentObject[],
  { ignore, isCounting }: { ignore: readonly string[]; isCounting: (line: number) => boolean },
): Promise<bigint> {
  const ignored = new Set(ignore)
  let sum = 0n
  let at = 0
  for await (const { text } of readTexts(publisher, objects))
    for (const line of linesOf(text))
      if (isCounting(at++)) sum += hashNumber(shortHash(canonicalForm(line, ignored)))
  return sum
}
