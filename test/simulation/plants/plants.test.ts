import { expect, it } from 'vitest'
import { invariants } from '../oracle/invariants.ts'
import { seedThatFinds } from './plant-search.ts'
import { type PlantName, plants } from './plants.ts'

it.each(Object.keys(plants) as PlantName[])(
  'the oracle finds the planted bug %s',
  { timeout: 240_000 },
  async (plant) => {
    expect(await seedThatFinds(plant)).toBeDefined()
  },
)

it('every invariant has a planted bug', () => {
  const broken = new Set(Object.values(plants).map(({ breaks }) => breaks))
  expect([...broken].toSorted()).toEqual(Object.keys(invariants).toSorted())
})
