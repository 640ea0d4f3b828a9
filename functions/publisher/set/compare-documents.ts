import { Damaged } from '../check/damage.ts'
import { canonicalForm, hashNumber, shortHash } from '../check/set/canonical.ts'
import { isOlder } from '../check/set/record-entries.ts'
import type { Checker } from '../ports.ts'
import { type DocumentObject, documentsAt, type NumberedLines } from './stored-documents.ts'

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
  const ofBase = [...claims.map((claim) => claim.base), ...summed.map(({ line }) => line)]
  for await (const [place, text] of documentsAt(publisher, base, { wanted: ofBase, idField })) {
    const content = shortHash(canonicalForm(text, ignored))
    const claim = claims[place]
    if (!claim) sum += (summed[place - claims.length]?.sign ?? 0n) * hashNumber(content)
    else {
      canonical.write(content, hashBytes * place, 'latin1')
      if (claim.isProtected) dates.set(place, datesOf(text))
    }
  }
  const ofTarget = claims.map((claim) => claim.target)
  for await (const [place, text] of documentsAt(publisher, target, { wanted: ofTarget, idField })) {
    const wrong = (how: string) => new Damaged(`${target.nameOf(ofTarget[place] ?? 0)} ${how}.`)
    const what = claims[place]?.what
    const delivered = dates.get(place)
    const isHeld = delivered !== undefined && isOlder(datesOf(text), delivered)
    if (isHeld && what !== 'held') throw wrong('is older than what was delivered, and is not held')
    if (!isHeld && what === 'held') throw wrong('is held, and is not older than what was delivered')
    const content = canonical.toString('latin1', hashBytes * place, hashBytes * (place + 1))
    if (what === 'rewritten' && shortHash(canonicalForm(text, ignored)) !== content)
      throw wrong('differs from that of the base, and has no record')
  }
  return sum
}

function datesOf(text: string): object {
  const { createdIn, updatedIn } = JSON.parse(text) as Record<string, unknown>
  return { createdIn, updatedIn }
}
