/** The random choices of one simulation. The same seed makes the same choices. */
export type Chance = ReturnType<typeof createChance>

export function createChance(seed: number) {
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

  const chance = {
    /** 0 to 1. */
    next,
    /** True with this probability. */
    happens: (probability: number) => probability > 0 && next() < probability,
    /** A whole number, both ends included. */
    integer: (from: number, to: number) => from + Math.floor(next() * (to - from + 1)),
    pick: <T>(from: readonly T[]): T => {
      const picked = from[Math.floor(next() * from.length)]
      if (picked === undefined) throw new Error('The list to pick from is empty.')
      return picked
    },
    /** One of the names, with a probability proportional to its weight. */
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const names = Object.keys(weights) as Name[]
      let at = next() * names.reduce((sum, name) => sum + weights[name], 0)
      for (const name of names) {
        at -= weights[name]
        if (at < 0) return name
      }
      return names[names.length - 1] as Name
    },
    /** Milliseconds: usually close to `from`, rarely close to `to`. */
    delayMs: (from: number, to: number) => Math.round(from + (to - from) * next() ** 4),
  }
  return chance
}
