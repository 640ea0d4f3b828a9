import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountDrills } from './account/index.ts'
import { nameOf, runDrill } from './drill.ts'
import { localDrills } from './local/index.ts'
import { countedOperator, type LocalWorld, startLocalWorld, succeeds } from './local/world.ts'
import { executedForms } from './note-command.ts'
import { unexecuted } from './page-commands.ts'

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

it('each command of the situations is executed by their drills', () => {
  const drills = { drills: localDrills, others: accountDrills }
  expect(unexecuted(['runbook', 'symptoms'], drills, executedForms())).toEqual([])
})
