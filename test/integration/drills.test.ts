import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameOf, runDrill } from '../drills/drill.ts'
import { localDrills } from '../drills/local/index.ts'
import { countedOperator, type LocalWorld, startLocalWorld, succeeds } from '../drills/local/world.ts'

let world: LocalWorld

beforeAll(async () => {
  world = await startLocalWorld({ maxConcurrentSyncs: 1 })
  for (const entity of ['CL', 'AD']) await succeeds(world.longshore(`sync ${entity} --watch`))
})
afterAll(() => world?.close())

describe('what the page says resolves', () => {
  for (const drill of localDrills)
    it(`${nameOf(drill)}`, async ({ task }) => {
      world.begin()
      const effort = await runDrill(drill, world, (counter) => countedOperator(world, counter))
      // The reporter prints it.
      task.meta.effort = effort
      expect(effort.seconds).toBeGreaterThanOrEqual(0)
    })
})
