import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { twinIds } from './platform/document-versions.ts'
import type { Simulation } from './simulation.ts'

/**
 * Replaces what the functions take from the process: the clock, the random numbers that the ids of new runs are made
 * of, and in some seeds the hashes of two ids.
 */
export function takeOver({ scheduler, chance, scenario, plant }: Simulation): () => void {
  const real = { now: Date.now, randomBytes: crypto.randomBytes, hash: crypto.hash }
  Date.now = scheduler.now
  crypto.randomBytes = ((size: number) =>
    Buffer.from(
      Array.from({ length: size }, () => Math.floor(chance.next() * 256)),
    )) as typeof crypto.randomBytes
  if (scenario.collidingIds) {
    crypto.hash = collidingHash(real.hash, plant?.equalIdHashBytes ?? collidingBytes) as typeof crypto.hash
  }
  syncBuiltinESMExports()
  return () => {
    Date.now = real.now
    Object.assign(crypto, { randomBytes: real.randomBytes, hash: real.hash })
    syncBuiltinESMExports()
  }
}

/** 64 bits. */
const collidingBytes = 8
const [first, second] = twinIds.map((id) => JSON.stringify(id)) as [string, string]

/** The hash of the second twin's id begins with bytes of the first one's. */
function collidingHash(real: typeof crypto.hash, bytes: number) {
  return (algorithm: string, data: string | Buffer, encoding: 'binary' | 'hex') => {
    const hash = real(algorithm, data, encoding)
    if (encoding !== 'binary' || data.length !== second.length || String(data) !== second) return hash
    return real(algorithm, first, encoding).slice(0, bytes) + hash.slice(bytes)
  }
}
