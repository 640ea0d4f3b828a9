import { expect, it } from 'vitest'
import { type SeedResult, simulate } from './simulate.ts'

/** .ci/run plays thousands more. */
const seeds = 10

it(`every invariant holds in ${seeds} seeds`, async () => {
  const broken: (string | undefined)[] = []
  for (let seed = 1; seed <= seeds; seed++) broken.push(replayCommand(await simulate(seed)))
  expect(broken.filter(Boolean)).toEqual([])
})

it.each([3, 4, 38, 375])('seed %i plays the same way each time', async (seed) => {
  const [one, other] = [await simulate(seed, { story: true }), await simulate(seed, { story: true })]
  expect(other.story).toEqual(one.story)
  expect(one.story.length).toBeGreaterThan(20)
})

function replayCommand({ seed, violation }: SeedResult): string | undefined {
  return violation && `npm run soak -- --seed ${seed}: ${violation.invariant}: ${violation.detail}`
}
