import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Problem } from '../../functions/problems/problem.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { commandsIn, useDeployment } from './fixes/deployment.ts'
import { expectLogged } from './local/world.ts'

const deployment = useDeployment()
const { documents, followDoctor, followStatus, healthy, longshore, problems, syncAndCompare } = deployment

describe('what doctor and status name resolves what they found:', () => {
  it('nothing was synced yet', async () => {
    for (const args of ['pull CL', 'changes CL', 'columns CL'])
      expect(commandsIn((await longshore(args)).stderr)).toEqual(['sync CL --watch'])
    expect(commandsIn((await longshore('credentials set')).stdout)).toEqual(['sync CL AD'])
    const ofCl = (await problems()).filter(({ entity }) => entity === 'CL')
    expect(await followDoctor(ofCl)).toEqual(['sync CL --watch'])
    const [status = ''] = commandsIn((await longshore('credentials set --yes')).stdout)
    expect(status).toBe('status')
    expect((await longshore(status)).stdout).toContain('AD')
    // It joins the run that the credentials have started.
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    expect(await longshore('sync CL')).toMatchObject({ code: 0 })
    await longshore('sync CL --watch')
    await healthy()
  })

  it('the validity of the credentials is not known', async () => {
    deployment.world.platform.faults.add({
      match: (request) => request.kind === 'search',
      fault: { kind: 'status', status: 503 },
      times: Infinity,
    })
    const { code, stdout } = await longshore('doctor --json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ level: 'unknown', text: expect.stringContaining('Cannot tell') as string }),
    )
    deployment.world.platform.faults.clear()
    expect(await longshore('doctor')).toMatchObject({ code: 0 })
  })
})

it('a pause is the same note everywhere, also in the API, until its command resumes the entity', async () => {
  expect(await longshore('pause CL --reason migration --until 8h')).toMatchObject({ code: 0 })
  expect(await deployment.agreed()).toMatchObject([{ kind: 'paused', level: 'note', command: 'resume CL' }])
  const { pause } = (await (await deployment.world.call('/syncs/CL')).json()) as { pause: object }
  expect(pause).toMatchObject({ reason: 'migration', until: expect.any(String) })
  expect(await followStatus()).toBe('resume CL')
  expect(await deployment.agreed()).toEqual([])
})

describe('what doctor and status name resolves what they found after a sync:', () => {
  it('the credentials are wrong, and a run failed because of them', async () => {
    const wrong = { appKey: localCredentials.appKey, appToken: 'wrong' }
    await longshore('credentials set --skip-check --no-sync', wrong)
    // The worker keeps credentials until they are rejected.
    deployment.world.platform.credentials.splice(0, deployment.world.platform.credentials.length, {
      appKey: 'other',
      appToken: 'other',
    })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    deployment.world.platform.credentials.splice(
      0,
      deployment.world.platform.credentials.length,
      localCredentials,
    )
    expect(await longshore('credentials set --area documents')).toMatchObject({ code: 0 })
    expect(await followStatus()).toBe('credentials set')
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it('the last two runs failed', async () => {
    deployment.world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'total', total: { offBy: 5 } },
      times: Infinity,
    })
    for (let runs = 0; runs < 2; runs++) expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    deployment.world.platform.faults.clear()
    expect(await followStatus()).toBe('runs AD')
    const { runId } = await deployment.world.lastRun('AD')
    expect(await longshore(`logs ${runId}`)).toMatchObject({ code: 0 })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it('a run was refused, and then its change set', async () => {
    await deployment.world.compared('CL')
    const whole = documents()
    deployment.world.platform.documents.set('CL', whole.slice(0, 80))
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    const { runId } = await deployment.world.lastRun('CL')
    expect(await longshore('review CL')).toMatchObject({ code: 0 })
    expect(await followStatus()).toBe(`review ${runId}`)
    expect(await followDoctor()).toEqual([`review ${runId}`])
    const accept = commandsIn((await longshore(`review ${runId}`)).stdout)
    expect(accept).toEqual([`accept ${runId}`])
    const accepted = await longshore(`${accept[0]} --yes`)
    expect(accepted.code).toBe(0)
    // Its change set has a guard of its own.
    expect(commandsIn(accepted.stdout)).toEqual([`review ${runId}`])
    expect(await followDoctor()).toEqual([`review ${runId}`])
    expect(await longshore(`${accept[0]} --yes`)).toMatchObject({ code: 0 })
    await deployment.world.compared('CL')
    await healthy()
    deployment.world.platform.documents.set('CL', whole)
    await syncAndCompare()
  })

  it('the last run failed because the platform did not have the entity', async () => {
    deployment.world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'status', status: 404 },
    })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    deployment.world.platform.faults.clear()
    // The snapshot is recent, and the schedule starts the next run.
    expect(await deployment.agreed()).toMatchObject([{ kind: 'run-failed', level: 'note' }])
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it('an entity was removed', async () => {
    // The table is built after the run, and a purge must not race with it.
    const { runId } = await deployment.world.lastRun('AD')
    await expectLogged(deployment.world, 'Ended tables', { runId })
    const instance = JSON.parse(readFileSync(deployment.world.bundle.instanceFile, 'utf8'))
    const file = join(deployment.world.folder, 'without-ad.json')
    const entities = instance.configuration.entities.filter(({ name }: { name: string }) => name !== 'AD')
    writeFileSync(
      file,
      JSON.stringify({ ...instance, configuration: { ...instance.configuration, entities } }),
    )
    process.env['LONGSHORE_LOCAL'] = file
    const orphans = async () => {
      const { problems: found } = JSON.parse((await longshore('doctor --json')).stdout) as {
        problems: Problem[]
      }
      return found.flatMap(({ kind, command = '' }) => (kind === 'orphaned-data' ? [command] : []))
    }
    const [command = ''] = await orphans()
    // Without a terminal it asks for --yes, with the whole command, once the execution has ended.
    const confirmed = await vi.waitFor(
      async () => {
        const { stderr } = await longshore(command)
        const commands = commandsIn(stderr.trimEnd())
        expect(commands).toEqual(['purge AD --yes'])
        return commands[0] ?? ''
      },
      { timeout: 20_000, interval: 200 },
    )
    expect(await longshore(confirmed)).toMatchObject({ code: 0 })
    expect(await orphans()).toEqual([])
    process.env['LONGSHORE_LOCAL'] = deployment.world.bundle.instanceFile
    // The entity is added again.
    expect(await followStatus()).toBe('sync AD --watch')
    await healthy()
  })
})
