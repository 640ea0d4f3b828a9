import type { PlainValues } from '../values/plain-values.ts'

/** Limits the cost of values with the same hash. Values beyond the limit are stored again. */
const maxProbes = 32
const empty = -1

/** The distinct values of a list, which contains each of them once. */
export class Dictionary {
  count = 0
  readonly #values: PlainValues
  /** The numbers of values by their hashes. The length is a power of two. */
  #slots = new Int32Array(1024).fill(empty)
  #hashes = new Int32Array(512)
  /** Where each value begins, and where the last one ends. */
  #starts = new Int32Array(513)

  constructor(values: PlainValues) {
    this.#values = values
  }

  /** Bits of the largest number. */
  get indexWidth(): number {
    return Math.max(1, 32 - Math.clz32(this.count - 1))
  }

  /** The number of the last value of the list, which begins at `start`. It is removed if it was there before. */
  intern(start: number): number {
    const values = this.#values
    const hash = hashOf(values, start)
    const mask = this.#slots.length - 1
    for (let probe = 0; probe < maxProbes; probe++) {
      const slot = (hash + probe) & mask
      const known = this.#slots[slot] ?? empty
      if (known === empty) return this.#add(hash, slot)
      if (this.#hashes[known] === hash && this.#isSame(known, start)) {
        values.length = start
        return known
      }
    }
    return this.#add(hash, undefined)
  }

  startOf(number: number): number {
    return this.#starts[number] ?? 0
  }

  endOf(number: number): number {
    return this.#starts[number + 1] ?? 0
  }

  #isSame(known: number, start: number): boolean {
    const { bytes, view, length } = this.#values
    let at = this.startOf(known)
    const end = this.endOf(known)
    if (end - at !== length - start) return false
    let other = start
    for (; at + 4 <= end; at += 4, other += 4)
      if (view.getInt32(at, true) !== view.getInt32(other, true)) return false
    for (; at < end; at++, other++) if (bytes[at] !== bytes[other]) return false
    return true
  }

  #add(hash: number, slot: number | undefined): number {
    const number = this.count++
    if (number === this.#hashes.length) this.#growValues()
    this.#hashes[number] = hash
    this.#starts[number + 1] = this.#values.length
    if (slot !== undefined) this.#slots[slot] = number
    if (2 * this.count > this.#slots.length) this.#growSlots()
    return number
  }

  #growValues(): void {
    const hashes = new Int32Array(2 * this.#hashes.length)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    const starts = new Int32Array(hashes.length + 1)
    starts.set(this.#starts)
    this.#starts = starts
  }

  #growSlots(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(empty)
    for (let number = 0; number < this.count; number++) {
      const hash = this.#hashes[number] ?? 0
      for (let probe = 0; probe < maxProbes; probe++) {
        const slot = (hash + probe) & (slots.length - 1)
        if (slots[slot] !== empty) continue
        slots[slot] = number
        break
      }
    }
    this.#slots = slots
  }
}

function hashOf({ bytes, view, length }: PlainValues, start: number): number {
  let hash = length - start
  // A processor computes two hashes at the same time.
  let other = 0
  let at = start
  for (; at + 8 <= length; at += 8) {
    hash = mix(hash ^ view.getInt32(at, true))
    other = mix(other ^ view.getInt32(at + 4, true))
  }
  hash ^= Math.imul(other, 0x85ebca6b)
  for (; at + 4 <= length; at += 4) hash = mix(hash ^ view.getInt32(at, true))
  for (; at < length; at++) hash = mix(hash ^ (bytes[at] ?? 0))
  // The slot is given by the lower bits, which need to depend on all bits.
  return mix(hash ^ (hash >>> 16))
}

function mix(bits: number): number {
  const product = Math.imul(bits, 0x9e3779b1)
  return product ^ (product >>> 15)
}
