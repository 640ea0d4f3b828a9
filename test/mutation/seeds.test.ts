import { expect, it } from 'vitest'
import { simulate } from '../simulation/simulate.ts'

/** One test per seed, so that a mutant is killed by the first seed that it breaks. */
const seeds = Array.from({ length: 60 }, (_, index) => index + 1)

it.each(seeds)('every invariant holds in seed %i', async (seed) => {
  expect((await simulate(seed)).violation).toBeUndefined()
})
