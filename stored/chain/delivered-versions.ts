import { hash } from 'node:crypto'
import { idHashWords } from '../documents/id-hash.ts'
import { canonicalDocument } from './canonical.ts'
import { type DocumentDates, versionDate } from './document-dates.ts'

/** A version of a document that an increment delivered. Dates are in microseconds. */
export interface DeliveredVersion {
  /** Hash of its content, as change sets compare it. */
  readonly content: string
  readonly date: number
  /** The end of the window that delivered it, whatever its own dates say: a window that begins later does not return it. */
  readonly deliveredAt: number
}

/** By the id hash, in Latin-1. */
export type DeliveredById = ReadonlyMap<string, DeliveredVersion>

const hashBytes = 16
const numberBytes = 8
const entryBytes = 2 * hashBytes + 2 * numberBytes

export const idHashOf = (identity: string | Uint8Array): string => shortHash(identity)

/** A document's version, as it is remembered. It has a date. */
export function versionOf(
  document: Buffer,
  dates: DocumentDates,
  { ignored, deliveredAt }: { readonly ignored: ReadonlySet<string>; readonly deliveredAt: number },
): DeliveredVersion {
  const content = shortHash(canonicalDocument(document, ignored))
  return { content, date: versionDate(dates) ?? 0, deliveredAt }
}

const shortHash = (content: string | Uint8Array) => hash('sha256', content, 'binary').slice(0, hashBytes)

/** A hash in Latin-1 as a summand of a sum of hashes. */
export const hashNumber = (hash: string) => BigInt(`0x${Buffer.from(hash, 'latin1').toString('hex')}`)

/** The versions that a window which begins at `from` (microseconds) or later can return. */
export function stillReturned(versions: DeliveredById, from: number): DeliveredById {
  return new Map([...versions].filter(([, { deliveredAt }]) => deliveredAt >= from))
}

/** The id hash of four 32-bit words, as `idHashOf` has it. */
export function idHashOfWords(words: Uint32Array, at: number): string {
  let text = ''
  for (let word = at; word < at + idHashWords; word++) {
    const value = words[word] ?? 0
    text += String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
  }
  return text
}

export function encodeVersions(versions: DeliveredById): Buffer {
  const bytes = Buffer.alloc(versions.size * entryBytes)
  let at = 0
  for (const [id, { content, date, deliveredAt }] of versions) {
    bytes.write(id, at, 'latin1')
    bytes.write(content, at + hashBytes, 'latin1')
    bytes.writeDoubleBE(date, at + 2 * hashBytes)
    bytes.writeDoubleBE(deliveredAt, at + 2 * hashBytes + numberBytes)
    at += entryBytes
  }
  return bytes
}

export function decodeVersions(bytes: Buffer): DeliveredById {
  const versions = new Map<string, DeliveredVersion>()
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    const text = (from: number) => bytes.toString('latin1', at + from, at + from + hashBytes)
    versions.set(text(0), {
      content: text(hashBytes),
      date: bytes.readDoubleBE(at + 2 * hashBytes),
      deliveredAt: bytes.readDoubleBE(at + 2 * hashBytes + numberBytes),
    })
  }
  return versions
}
