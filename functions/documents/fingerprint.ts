import { hash } from 'node:crypto'

/** Bytes of one fingerprint. With 64 bits, 10 million ids collide with a probability of 3 in a million. */
export const fingerprintBytes = 8

/** Writes the first 64 bits of the identity's SHA-256. */
export function writeFingerprint(identity: Buffer, target: Buffer, offset: number): void {
  // As a string of bytes ('binary' is Latin-1): a buffer of its own for each takes 1.1 µs instead of 0.4.
  target.write(hash('sha256', identity, 'binary'), offset, fingerprintBytes, 'latin1')
}
