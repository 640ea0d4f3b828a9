import type { FingerprintSet } from '../documents/fingerprint-set.ts'
import type { Identity } from '../documents/identity.ts'
import { lineFeed } from '../documents/json-bytes.ts'
import { idHashOf } from './delivered-versions.ts'

/** A line of the list of documents that a refused set would delete: the id hash in hex. */
export const reviewedLine = (identity: Identity): Buffer =>
  Buffer.from(Buffer.from(idHashOf(identity), 'latin1').toString('hex'))

const fingerprintDigits = 16

/** Adds the ids of such lines. */
export function addReviewed(ids: FingerprintSet, lines: Buffer): void {
  for (let start = 0; start < lines.length; start = lines.indexOf(lineFeed, start) + 1)
    ids.add(BigInt(`0x${lines.toString('latin1', start, start + fingerprintDigits)}`))
}
