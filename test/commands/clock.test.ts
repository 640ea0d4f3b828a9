import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { clockEnvironment } from '../clock.ts'
import { type CliWorld, collect, startCliWorld, until } from '../integration/cli-world.ts'

const dayMs = 24 * 60 * 60_000
const toleranceMs = 60_000

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

const expectNow = (time: string | undefined) =>
  expect(Math.abs(Date.parse(time ?? '') - Date.now())).toBeLessThan(toleranceMs)

describe.each([
  ['ahead', dayMs],
  ['behind', -dayMs],
] as const)('with an operator clock one day %s', (_, shiftMs) => {
  const environment = clockEnvironment(shiftMs)

  it('runs start, end and are reported in AWS’s time', async () => {
    const { code, stdout } = await world.longshoreProcess('sync CL --watch --json', environment)
    const { runId, startedAt, endedAt } = JSON.parse(stdout)
    expect(code).toBe(0)
    expectNow(startedAt)
    expectNow(endedAt)
    expect(runId.slice(0, 8)).toBe(startedAt.slice(0, 10).replaceAll('-', ''))
    const status = await world.longshoreProcess('status', environment)
    expect(status.stdout).toMatch(/CL .* (?:< )?\d+ s ago +published/)
    expect((await world.longshoreProcess('runs CL', environment)).stdout).toMatch(/Z-\w+ +(?:< )?\d+ s ago /)
    const pulled = await world.longshoreProcess('pull CL --force', environment)
    expect(pulled.stdout).toMatch(/ scrolled (?:< )?\d+ s ago\./)
  })

  it('a cancelled run ends in AWS’s time, and the next run can publish', async () => {
    world.platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'slow', beforeHeadersMs: 20_000 },
    })
    const watcher = world.start('sync AD --watch', environment)
    await until(collect(watcher.stderr), 'AD')
    const ended = once(watcher, 'close')
    expect(await world.longshoreProcess('cancel AD', environment)).toMatchObject({ code: 0 })
    await ended
    world.platform.faults.clear()
    const state = createStateStore(connectTable(world.stores.table, world.stores.dynamodb))
    const [cancelled] = await state.listRuns('AD', 1)
    expect(cancelled).toMatchObject({ status: 'cancelled' })
    expectNow(cancelled && 'endedAt' in cancelled ? cancelled.endedAt : undefined)
    expect(await world.longshore('sync AD --watch')).toMatchObject({ code: 0 })
  })
})
