import { hash } from 'node:crypto'
import type { Identity } from './identity.ts'

/** The size of one fingerprint. Among 10 million ids, two have the same 64 bits with a probability of 3 in a million. */
export const fingerprintBytes = 8

/** Writes the first 64 bits of the identity's SHA-256. */
export function writeFingerprint(identity: Identity, target: Buffer, offset: number): void {
  // Each byte of a 'binary' (Latin-1) string is one character. This avoids allocating a buffer for every document.
  target.write(hash('sha256', identity, 'binary'), offset, fingerprintBytes, 'latin1')
}

/** The fingerprints in these bytes, in order. */
export function fingerprintsOf(bytes: Buffer): bigint[] {
  const count = bytes.length / fingerprintBytes
  return Array.from({ length: count }, (_, index) => bytes.readBigUInt64LE(index * fingerprintBytes))
}
