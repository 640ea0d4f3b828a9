import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, partOf, queriesOf, situation } from '../pages.ts'
import type { LocalDrill } from './world.ts'
import { expectHealthy, expectLogged, succeeds, untilCredentialsWork, waiting } from './world.ts'

const placeholder = { appKey: 'replace-me', appToken: 'replace-me' }

const argsOf = (title: string, runId = '') =>
  longshoreArgs(commandsOf(situation('symptoms', title).text, { RUN_ID: runId, ENTITY: 'AD', CL: 'CL' }))

/** Runs that fail, wait or do not start. */
export const runDrills: LocalDrill[] = [
  drill('runbook', 'run-failed', async (world) => {
    world.platform.faults.add({ match: onScroll({ entity: 'AD' }), fault: { kind: 'status', status: 404 } })
    expect(await world.longshore('sync AD --watch')).toMatchObject({ code: 1 })
    return async (operator) => {
      const [ended = 'Crashes', , one = 'Crashes'] = queriesOf(situation('runbook', 'run-failed').text)
      const reason: unknown = expect.stringContaining('404')
      await expectLogged(operator, ended, { entity: 'AD', status: 'failed', reason })
      const [run] = await operator.query(ended)
      expect(await operator.query(one, String(run?.['runId']))).not.toEqual([])
      // The platform has the entity again.
      world.platform.faults.clear()
      await succeeds(operator.longshore('sync AD --watch'))
      await expectLogged(operator, ended, { entity: 'AD', status: 'published' })
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', 'It is unclear why a run ended', async (world) => {
    world.platform.faults.add({ match: onScroll({ entity: 'AD' }), fault: { kind: 'status', status: 404 } })
    expect(await world.longshore('sync AD --watch')).toMatchObject({ code: 1 })
    const { runId } = await world.lastRun('AD')
    return async (operator) => {
      const [logs = ''] = argsOf('It is unclear why a run ended', runId)
      // A line is written shortly after what it reports.
      await vi.waitFor(async () => expect((await world.longshore(logs)).stdout).toContain('404'), waiting)
      await succeeds(operator.longshore(logs))
      await succeeds(operator.longshore('sync AD --watch'))
      await expectHealthy(operator)
    }
  }),
  drill('runbook', 'platform-away', async (world) => {
    world.platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      fault: { kind: 'reset' },
      times: Infinity,
    })
    expect(await world.longshore('sync AD --watch')).toMatchObject({ code: 1 })
    const { reason } = await world.lastRun('AD')
    return async (operator) => {
      const listed = partOf(situation('runbook', 'Platform errors'), 'Fix')
      const [known = ''] = /the connection broke/i.exec(reason ?? '') ?? []
      expect(known).not.toBe('')
      expect(listed).toContain(known.toLowerCase())
      world.platform.faults.clear()
      await succeeds(operator.longshore('sync AD --watch'))
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', 'A run is waiting', async (world) => {
    // CL has the only slot, and the platform is slow.
    const slow = world.platform.faults.add({
      match: onScroll({ entity: 'CL' }),
      fault: { kind: 'slow', beforeHeadersMs: 1_500 },
      times: Infinity,
    })
    await succeeds(world.longshore('sync CL'))
    await succeeds(world.longshore('sync AD'))
    await vi.waitFor(
      async () => expect(await world.lastRun('AD')).toMatchObject({ status: 'waiting' }),
      waiting,
    )
    return async (operator) => {
      const { stdout } = await succeeds(operator.longshore('runs AD --json'))
      expect(JSON.parse(stdout).runs[0].reason).toMatch(/sync/)
      slow.remove()
      await vi.waitFor(
        async () => expect(await world.lastRun('AD')).toMatchObject({ status: 'published' }),
        waiting,
      )
      await world.compared('CL')
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', 'A run was skipped', async (world) => {
    await world.longshore('credentials set --skip-check --no-sync', placeholder)
    // The worker still has the credentials of the last drill, until the platform rejects them.
    world.platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      fault: { kind: 'status', status: 401 },
      times: Infinity,
    })
    await world.longshore('sync AD --watch')
    world.platform.faults.clear()
    expect(await world.lastRun('AD')).toMatchObject({
      reason: expect.stringContaining('redential') as string,
    })
    return async (operator) => {
      const [set = ''] = longshoreArgs(commandsOf(situation('runbook', 'credentials').text, {}))
      await succeeds(operator.longshore(set))
      await untilCredentialsWork(operator)
      await expectHealthy(operator)
    }
  }),
  drill('runbook', 'orphaned-data', async ({ bundle, folder }) => {
    const instance = JSON.parse(readFileSync(bundle.instanceFile, 'utf8'))
    const file = join(folder, 'without-ad.json')
    const { configuration } = instance
    const entities = configuration.entities.filter(({ name }: { name: string }) => name !== 'AD')
    writeFileSync(file, JSON.stringify({ ...instance, configuration: { ...configuration, entities } }))
    process.env['LONGSHORE_LOCAL'] = file
    return async (operator) => {
      const notes = async () => (await operator.longshore('doctor')).stdout
      expect(await notes()).toMatch(/AD .*not configured/)
      const [purge = ''] = longshoreArgs(
        commandsOf(situation('runbook', 'orphaned-data').text, { ENTITY: 'AD' }),
      )
      await vi.waitFor(async () => {
        // The table of the last run may be stored during a purge.
        await succeeds(operator.longshore(`${purge} --yes`))
        expect(await notes()).not.toMatch(/AD .*not configured/)
      }, waiting)
      process.env['LONGSHORE_LOCAL'] = bundle.instanceFile
      await succeeds(operator.longshore('sync AD --watch'))
      await expectHealthy(operator)
    }
  }),
]
