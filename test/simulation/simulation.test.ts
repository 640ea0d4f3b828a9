import { describe, expect, it } from 'vitest'
import { invariants } from './oracle.ts'
import { type PlantName, plants } from './plants.ts'
import { type SeedResult, simulate } from './simulate.ts'

const seeds = 1_000
const repeat = ({ seed, violation }: SeedResult) =>
  violation && `npm run soak -- --seed ${seed}: ${violation.invariant}: ${violation.detail}`

describe('a copy that cannot be wrong', () => {
  it(`holds every invariant in ${seeds} worlds`, { timeout: 120_000 }, async () => {
    const broken: (string | undefined)[] = []
    for (let seed = 1; seed <= seeds; seed++) broken.push(repeat(await simulate(seed)))
    expect(broken.filter(Boolean)).toEqual([])
  })

  it('plays the same seed the same way', async () => {
    for (const seed of [3, 38, 375]) {
      const [once, again] = [await simulate(seed, { story: true }), await simulate(seed, { story: true })]
      expect(again.story).toEqual(once.story)
      expect(once.story.length).toBeGreaterThan(20)
    }
  })
})

describe('the oracle can fail', () => {
  it.each(Object.keys(plants) as PlantName[])('with %s', { timeout: 60_000 }, async (plant) => {
    let found: SeedResult | undefined
    for (let seed = 1; seed <= 2_000 && !found; seed++) {
      const result = await simulate(seed, { plant })
      if (result.violation?.invariant === plants[plant].breaks) found = result
    }
    expect(found && repeat(found)).toBeDefined()
  })

  it('in each invariant', () => {
    const broken = new Set(Object.values(plants).map(({ breaks }) => breaks))
    expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted())
  })
})
