import { expect, it } from 'vitest'
import { plantsOf, seedThatFinds } from './plant-search.ts'

it.each(plantsOf('second'))('the oracle finds the planted bug %s', { timeout: 240_000 }, async (plant) => {
  expect(await seedThatFinds(plant)).toBeDefined()
})
