import { AssertionError, deepStrictEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { IncrementManifest } from '../../../stored/changes/changes.ts'
import { ignoredField } from './document-history.ts'

/** A version that an increment delivered, or with which a full set has replaced it since. */
interface Version {
  readonly content: string
  /** The end of the window that delivered it, in epoch milliseconds. */
  readonly deliveredAt: number
}

export interface DeliveredSet {
  readonly set: Pick<IncrementManifest, 'from' | 'to' | 'ignore'>
  /** The documents that it delivers, by their ids. */
  readonly documents: ReadonlyMap<string, string>
  /** The content of the object with the versions that the chain remembers. */
  readonly remembered: Buffer
  /** How long versions are remembered at least. */
  readonly rememberedMs: number
  /** Whether a window returns only documents with dates in it, or near it. */
  readonly isHonest: boolean
}

/** A record of an increment that is right, and needless. */
export class DeliveredAgain extends AssertionError {}

/**
 * Checks that no increment delivers what readers have from an increment, and that the chain remembers exactly what
 * increments have delivered. Throws if that is not so.
 */
export class DeliveredOracle {
  readonly #versions = new Map<string, Version>()
  /** Documents whose version a full set has replaced since. The chain forgets it with the version before. */
  readonly #replaced = new Set<string>()
  /** What windows delivered that ended from here on is remembered. In epoch milliseconds. */
  #from = 0

  /** Whether the chain may have forgotten what a window delivered that ended at this time. */
  mayForget(deliveredAt: number): boolean {
    return deliveredAt < this.#from
  }

  clear(): void {
    this.#versions.clear()
    this.#replaced.clear()
  }

  /** A full set has changed or deleted a document. */
  replace(id: string, document: string | undefined, ignore: readonly string[]): void {
    const known = this.#versions.get(id)
    if (!known) return
    this.#replaced.add(id)
    if (document === undefined) this.#versions.delete(id)
    else this.#versions.set(id, { ...known, content: contentHash(document, ignore) })
  }

  check({ set, documents, remembered, rememberedMs, isHonest }: DeliveredSet): void {
    const to = Date.parse(set.to)
    const from = to - rememberedMs
    const before = this.#from
    this.#from = from
    // After an older snapshot was accepted, windows begin there again: they return what was forgotten.
    const isEarlier = Date.parse(set.from) < before
    for (const [id, document] of documents) {
      const content = contentHash(document, set.ignore)
      const known = this.#versions.get(id)
      const isOld = known === undefined || known.deliveredAt < (isHonest ? before : from)
      const isDue = isHonest && !isEarlier && isIn(set, document) && !isAhead(document, known)
      const isRemembered = !isOld || (isDue && !this.#replaced.has(id))
      if (isRemembered && known?.content === content)
        throw new DeliveredAgain({ message: `readers have document ${id} already: ${document}` })
      this.#versions.set(id, { content, deliveredAt: to })
      this.#replaced.delete(id)
    }
    const stored = decoded(gunzipSync(remembered))
    const ids = new Map([...this.#versions.keys()].map((id) => [idHash(id), id]))
    for (const [hash, version] of stored) {
      const id = ids.get(hash)
      ok(id !== undefined, 'the chain remembers a document that no increment has delivered')
      deepStrictEqual(version, this.#versions.get(id), `what the chain remembers of ${id}`)
    }
    for (const [id, { deliveredAt }] of this.#versions)
      ok(deliveredAt < from || stored.has(idHash(id)), `the chain has forgotten document ${id}`)
  }
}

/** The chain does not know of a coarse index before it has returned something from outside of a window. */
const isIn = ({ from, to }: DeliveredSet['set'], document: string): boolean =>
  datesOf(document).some((date) => date >= Date.parse(from) && date <= Date.parse(to))

/** A window long after the one that delivered a date in the future returns it again: the chain remembers windows, not dates. */
const isAhead = (document: string, known: Version | undefined): boolean =>
  datesOf(document).some((date) => date > (known?.deliveredAt ?? 0) + maxAheadMs)

/** How far a clock of the platform may be ahead of a window's end. */
const maxAheadMs = 6 * 60_000

function datesOf(document: string): readonly number[] {
  const { createdIn, updatedIn } = JSON.parse(document) as { createdIn: string; updatedIn?: string | null }
  return [createdIn, updatedIn ?? createdIn].map((date) => Date.parse(date))
}

/** 16 bytes of the hash of the id, as many of that of the content, the date and the end of the window. */
const entryBytes = 48

function decoded(bytes: Buffer): Map<string, Version> {
  const count = bytes.length / entryBytes
  ok(Number.isInteger(count), `${bytes.length} bytes`)
  const entries = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * entryBytes, (at + 1) * entryBytes),
  )
  return new Map(
    entries.map((entry) => [
      entry.toString('hex', 0, 16),
      { content: entry.toString('hex', 16, 32), deliveredAt: entry.readDoubleBE(40) / 1000 },
    ]),
  )
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** The id is a number. */
export const idHash = (id: string): string => shortHash(id)

/** Members in the order of their names, without those that are ignored. */
function contentHash(document: string, ignore: readonly string[]): string {
  const members = { [ignoredField]: 0, ...(JSON.parse(document) as Record<string, unknown>) }
  const counted = Object.keys(members).filter((name) => !ignore.includes(name))
  return shortHash(JSON.stringify(members, counted.toSorted()))
}
