import { describe, expect, it } from 'vitest'
import { invariants } from './oracle.ts'
import { type PlantName, plants } from './plants.ts'
import { type SeedResult, simulate } from './simulate.ts'

const seeds = 1_000
const repeat = ({ seed, violation }: SeedResult) =>
  violation && `npm run soak -- --seed ${seed}: ${violation.invariant}: ${violation.detail}`

describe('the simulation', () => {
  it(`violates no invariant in ${seeds} seeds`, { timeout: 120_000 }, async () => {
    const broken: (string | undefined)[] = []
    for (let seed = 1; seed <= seeds; seed++) broken.push(repeat(await simulate(seed)))
    expect(broken.filter(Boolean)).toEqual([])
  })

  it('replays a seed identically', async () => {
    for (const seed of [3, 38, 375]) {
      const [once, again] = [await simulate(seed, { story: true }), await simulate(seed, { story: true })]
      expect(again.story).toEqual(once.story)
      expect(once.story.length).toBeGreaterThan(20)
    }
  })
})

describe('the oracle', () => {
  it.each(Object.keys(plants) as PlantName[])(
    'finds the planted bug %s',
    { timeout: 60_000 },
    async (plant) => {
      let found: SeedResult | undefined
      for (let seed = 1; seed <= 2_000 && !found; seed++) {
        const result = await simulate(seed, { plant })
        if (result.violation?.invariant === plants[plant].breaks) found = result
      }
      expect(found && repeat(found)).toBeDefined()
    },
  )

  it('has a planted bug for each invariant', () => {
    const broken = new Set(Object.values(plants).map(({ breaks }) => breaks))
    expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted())
  })
})
