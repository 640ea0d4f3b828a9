import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { succeeds } from '../local/world.ts'
import { commandsIn, useDeployment } from './deployment.ts'

const deployment = useDeployment()
const { deletePage, documents, edit, failedComparisons, follow, healthy, longshore, syncAndCompare } =
  deployment

beforeAll(async () => {
  await succeeds(longshore('sync AD --watch'))
  await syncAndCompare()
})

it('a document did not exist at a time', async () => {
  const [first] = documents()
  const { id } = JSON.parse(String(first))
  const { code, stderr } = await longshore(`history CL ${id} --at 2020-01-01`)
  expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: [`history CL ${id}`] })
  expect(await longshore(`history CL ${id}`)).toMatchObject({ code: 0 })
  const missing = await longshore('history CL nobody')
  expect(commandsIn(missing.stderr)).toEqual(['retention CL'])
  expect(await longshore('retention CL')).toMatchObject({ code: 0 })
})

describe('what an error names resolves it:', () => {
  it('a file exists', async () => {
    await longshore('pull CL -o out.ndjson')
    const { code, stderr } = await longshore('pull CL -o out.ndjson')
    expect(code).toBe(1)
    const commands = commandsIn(stderr)
    expect(commands).toEqual(['pull CL -o out.ndjson --update', 'pull CL -o out.ndjson --force'])
    for (const command of commands) expect(await longshore(command)).toMatchObject({ code: 0 })
  })

  it('a pulled file was modified', async () => {
    writeFileSync('out.ndjson', '{}\n')
    const { code, stderr } = await longshore('pull CL -o out.ndjson --update')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stderr)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    expect(await longshore('pull CL -o out.ndjson --update')).toMatchObject({ code: 0 })
  })

  it('a page of the snapshot is gone', async () => {
    const { runId } = await deployment.world.lastRun('CL')
    await deletePage(runId)
    const { code, stdout } = await longshore('verify CL')
    expect(code).toBe(1)
    expect(commandsIn(stdout)).toEqual(['sync CL --watch'])
    expect(await follow('sync CL --watch')).toEqual([])
    // Its comparison needs the page too.
    await failedComparisons(1)
    expect(await follow('verify CL --repair')).toEqual(['changes CL --reset'])
    await syncAndCompare()
    expect(await longshore('verify CL')).toMatchObject({ code: 0 })
  })

  it('a page is gone that a review reads', async () => {
    const whole = documents()
    deployment.world.platform.documents.set('CL', whole.slice(0, 80))
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    await deletePage((await deployment.world.lastRun('CL')).runId)
    const { code, stderr } = await longshore('review CL')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^✗ The stored data is damaged: .* not found in the bucket\.\n/,
      ) as string,
    })
    deployment.world.platform.documents.set('CL', whole)
    const [command = ''] = commandsIn(stderr)
    expect(command).toBe('sync CL --watch')
    expect(await longshore(command)).toMatchObject({ code: 0 })
    await longshore('changes CL --reset')
    await syncAndCompare()
    await healthy()
  })

  it('a consumer missed more change sets than are kept', async () => {
    await longshore('pull CL -o consumer.ndjson')
    await longshore('changes CL --reset')
    await syncAndCompare()
    const { code, stderr } = await longshore('pull CL -o consumer.ndjson --update')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stderr)
    expect(command).toMatch(/^pull CL -o .*consumer\.ndjson --force$/)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    await syncAndCompare()
    expect(await longshore('pull CL -o consumer.ndjson --update')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a run is not known', 'logs 20200101T000000000Z-0123456789ab', 'status'],
    ['no run is in progress', 'cancel AD', 'runs AD'],
    ['nothing was refused', 'review AD', 'runs AD'],
    ['a snapshot is not kept', 'pull AD --run 20200101T000000000Z-0123456789ab', 'runs AD'],
    ['there is nothing to purge', 'purge XX', 'doctor'],
    ['an entity has no table', 'table CL', 'columns CL'],
  ])('%s', async (_, args, fix) => {
    const { code, stderr } = await longshore(args)
    expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: [fix] })
    expect(await longshore(fix)).toMatchObject({ code: 0 })
  })

  it('a page of a snapshot is gone that is downloaded or has a part of a history', async () => {
    await deletePage((await deployment.world.lastRun('CL')).runId)
    const [first] = documents()
    const history = await longshore(`history CL ${JSON.parse(String(first)).id}`)
    expect(history).toMatchObject({ code: 1, stderr: expect.stringContaining('restore') as string })
    expect(commandsIn(history.stderr)).toEqual(['verify CL --repair', 'retention CL'])
    const erased = await longshore('erase CL --id nobody')
    expect({ code: erased.code, commands: commandsIn(erased.stderr) }).toEqual({
      code: 1,
      commands: ['verify CL --repair'],
    })
    const { code, stderr } = await longshore('pull CL -o gone.ndjson')
    expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: ['verify CL'] })
    expect(await longshore('verify CL')).toMatchObject({ code: 1 })
    await longshore('changes CL --reset')
    expect(await follow('verify CL --repair')).toEqual(['sync CL --watch'])
    await deployment.world.compared('CL')
    expect(await longshore('pull CL -o gone.ndjson')).toMatchObject({ code: 0 })
  })

  it('a person is erased whom the published snapshot contains', async () => {
    const whole = documents()
    const { id } = JSON.parse(String(whole[0]))
    const { code, stderr } = await longshore(`erase CL --id ${id} --yes`)
    const commands = commandsIn(stderr)
    expect({ code, commands }).toEqual({ code: 1, commands: ['sync CL --watch'] })
    deployment.world.platform.documents.set('CL', whole.slice(1))
    expect(await follow(commands[0] ?? '')).toEqual([])
    await deployment.world.compared('CL')
    expect(await longshore(`erase CL --id ${id} --yes`)).toMatchObject({ code: 0 })
    deployment.world.platform.documents.set('CL', whole)
    await syncAndCompare()
  })

  it('a run is in progress, and npm start has no schedule to repair', async () => {
    const slow = deployment.world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'slow', beforeHeadersMs: 500 },
      times: Infinity,
    })
    const [sync = ''] = commandsIn((await longshore('repair-schedule CL')).stderr)
    expect(sync).toBe('sync CL')
    const [watch = ''] = commandsIn((await longshore(sync)).stdout)
    expect(watch).toBe('sync CL --watch')
    const [cancel = ''] = commandsIn((await longshore('sync CL')).stderr)
    expect(cancel).toBe('cancel CL')
    expect(await longshore(cancel)).toMatchObject({ code: 0 })
    slow.remove()
    expect(await longshore(watch)).toMatchObject({ code: 0 })
    await deployment.world.compared('CL')
    await healthy()
  })
})

it('an increment delivered records', async () => {
  expect(await longshore('pull CL -o CL.ndjson --force')).toMatchObject({ code: 0 })
  // A window ends before what changes in the current second of the platform's clock.
  edit(3, { updatedIn: new Date(Date.now() - 2_000).toISOString() })
  const [pull = ''] = commandsIn((await longshore('sync CL --increment --watch')).stdout)
  expect(pull).toBe('pull CL --update')
  expect(await longshore(pull)).toMatchObject({ code: 0 })
  const [status = ''] = commandsIn((await longshore('sync CL --increment')).stdout)
  expect(await longshore(status)).toMatchObject({ code: 0 })
  const [list = ''] = commandsIn((await longshore('runs CL')).stdout)
  expect(list).toBe('runs CL --increments')
  expect(await longshore(list)).toMatchObject({ code: 0 })
})
