import crypto from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { twinIds } from './platform/document-versions.ts'
import type { PlayedSimulation } from './simulation.ts'

/**
 * Replaces what the functions take from the process: the clock, random numbers, writes to temporary files, and in some
 * seeds the hashes of two ids.
 */
export function takeOver(sim: PlayedSimulation): () => void {
  const { scheduler, chance, scenario } = sim
  const real = { now: Date.now, random: Math.random, randomBytes: crypto.randomBytes, hash: crypto.hash }
  const { writeSync } = fs
  Date.now = scheduler.now
  Math.random = chance.next
  fs.writeSync = shortWrites(sim, writeSync) as typeof fs.writeSync
  crypto.randomBytes = ((size: number) =>
    Buffer.from(
      Array.from({ length: size }, () => Math.floor(chance.next() * 256)),
    )) as typeof crypto.randomBytes
  if (scenario.collidingIds) crypto.hash = collidingHash(real.hash) as typeof crypto.hash
  syncBuiltinESMExports()
  return () => {
    Date.now = real.now
    Math.random = real.random
    fs.writeSync = writeSync
    Object.assign(crypto, { randomBytes: real.randomBytes, hash: real.hash })
    syncBuiltinESMExports()
  }
}

type Place = [offset: number, length: number, position: number]

/** A write can end early, for example when the disk is nearly full. Only temporary files are written at a position. */
function shortWrites(sim: PlayedSimulation, write: typeof fs.writeSync) {
  return (file: number, bytes: Uint8Array, ...[offset, length, position]: Place): number => {
    const isShort = typeof position === 'number' && sim.chance.happens(sim.scenario.stores.shortWrites)
    if (!isShort) return write(file, bytes, offset, length, position)
    sim.count('short write')
    return write(file, bytes, offset, sim.chance.integer(Math.min(1, length), length), position)
  }
}

const [first, second] = twinIds.map((id) => JSON.stringify(id)) as [string, string]

/** The first 64 bits of the hash of the second twin's id are those of the first one's. */
function collidingHash(real: typeof crypto.hash) {
  return (algorithm: string, data: string | Buffer, encoding: 'binary' | 'hex' = 'hex') => {
    const hash = real(algorithm, data, encoding)
    if (data.length !== second.length || String(data) !== second) return hash
    const colliding = { binary: 8, hex: 16 }[encoding]
    return real(algorithm, first, encoding).slice(0, colliding) + hash.slice(colliding)
  }
}
