/** The random choices of one simulation. The same seed makes the same choices. */
export interface Chance {
  /** Choices of their own for one feature: adding a feature leaves the seeds without it as they were. */
  readonly branch: (feature: string) => Chance
  /** 0 to 1. */
  readonly next: () => number
  /** True with this probability. */
  readonly happens: (probability: number) => boolean
  /** An integer, both ends included. */
  readonly integer: (from: number, to: number) => number
  readonly pick: <T>(from: readonly T[]) => T
  /** One of the names, with a probability proportional to its weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
  /** Milliseconds: usually close to `from`, rarely close to `to`. */
  readonly delayMs: (from: number, to: number) => number
}

export function createChance(seed: number): Chance {
  let a = seed >>> 0
  let b = 0x9e3779b9
  let c = 0x243f6a88
  let counter = 1
  /** sfc32 (Chris Doty-Humphrey, PractRand): small, fast and random enough for a simulation. */
  const next = (): number => {
    const t = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return (t >>> 0) / 2 ** 32
  }
  for (let warmUp = 0; warmUp < 12; warmUp++) next()

  const chance: Chance = {
    branch: (feature) => createChance(seed ^ numberOf(feature)),
    next,
    happens: (probability) => probability > 0 && next() < probability,
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error('The list to pick from is empty.')
      return from[Math.floor(next() * from.length)] as T
    },
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const names = Object.keys(weights) as Name[]
      let at = next() * names.reduce((sum, name) => sum + weights[name], 0)
      for (const name of names) {
        at -= weights[name]
        if (at < 0) return name
      }
      return names[names.length - 1] as Name
    },
    delayMs: (from, to) => Math.round(from + (to - from) * next() ** 4),
  }
  return chance
}

/** FNV-1a. */
const numberOf = (text: string) =>
  Buffer.from(text).reduce((number, byte) => Math.imul(number ^ byte, 0x01000193), 0x811c9dc5)
