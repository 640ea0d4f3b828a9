import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { manifestKey } from '../../functions/state/snapshots/manifest.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import type { Finding } from '../../operator/doctor/finding.ts'
import { ageWindow } from '../drills/local/increments.ts'
import { failTable } from '../drills/local/tables.ts'
import {
  expectHealthy,
  type LocalWorld,
  problemsOf,
  startLocalWorld,
  waiting,
} from '../drills/local/world.ts'

let world: LocalWorld
beforeAll(async () => {
  world = await startLocalWorld()
})
afterAll(() => world?.close())

const longshore: LocalWorld['longshore'] = (words, input) => world.longshore(words, input)
const healthy = () => expectHealthy(world)
const problems = () => problemsOf(world)

/** The command lines that a fix names, in their order. */
const commandsIn = (fix: string) =>
  [...fix.matchAll(/npx --no-install longshore ([a-z][^()\n`]*?)(?=\)|$|, then| or replace|\n|`)/g)].map(
    ([, words = '']) => words.trim(),
  )

/** Follows the fix of each of these findings, from the first to the last: of the problems that doctor finds by default. */
async function followDoctor(findings?: readonly Finding[]): Promise<string[]> {
  const followed: string[] = []
  for (const { fix = '' } of findings ?? (await problems())) {
    const [command = ''] = commandsIn(fix)
    if (followed.includes(command)) continue
    followed.push(command)
    expect({ fix, ...(await longshore(command)) }).toMatchObject({ code: 0 })
  }
  return followed
}

/** Follows the command of the most urgent thing that needs attention. */
async function followStatus(): Promise<string> {
  const { attention } = JSON.parse((await longshore('status --json')).stdout)
  const [command = ''] = commandsIn(attention[0].command)
  expect(await longshore(command)).toMatchObject({ code: 0 })
  return command
}

/** The findings of doctor about increments that have a fix, problems or not. */
async function incrementFindings(): Promise<Finding[]> {
  const { findings } = JSON.parse((await longshore('doctor --json')).stdout) as { findings: Finding[] }
  return findings.filter(({ text, fix }) => fix !== undefined && text.includes('increment'))
}

/** Changes one document of CL on the platform. */
function edit(index: number, dates: object): void {
  const documents = world.platform.documents.get('CL') as Buffer[]
  const before = JSON.parse(String(documents[index])) as object
  const after = Buffer.from(JSON.stringify({ ...before, ...dates, edit: randomUUID() }))
  world.platform.documents.set('CL', documents.with(index, after))
}

/** Deletes a page of a snapshot of CL. */
async function deletePage(runId: string): Promise<void> {
  const [Bucket, Prefix] = [world.bundle.instance.bucket, `snapshots/CL/${runId}/a1`]
  const s3 = awsClients.bucket()
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: Contents[0]?.Key ?? '' }))
}

describe('what doctor and status name resolves what they found:', () => {
  it('nothing was synced yet', async () => {
    for (const words of ['pull CL', 'changes CL', 'columns CL'])
      expect(commandsIn((await longshore(words)).stderr)).toEqual(['sync CL --watch'])
    expect(commandsIn((await longshore('credentials set')).stdout)).toEqual(['sync CL --watch'])
    const [ofCl] = await problems()
    expect(await followDoctor(ofCl ? [ofCl] : [])).toEqual(['sync CL --watch'])
    const [status = ''] = commandsIn((await longshore('credentials set --yes')).stdout)
    expect(status).toBe('status')
    expect((await longshore(status)).stdout).toContain('AD')
    // It joins the run that the credentials have started.
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it('nobody can tell whether the credentials are valid', async () => {
    world.platform.faults.add({
      match: (request) => request.kind === 'search',
      fault: { kind: 'status', status: 503 },
      times: Infinity,
    })
    const found = (await problems()).filter(({ about }) => about === 'credentials')
    expect(found).toMatchObject([{ text: expect.stringContaining('Cannot tell') as string }])
    world.platform.faults.clear()
    expect(await followDoctor(found)).toEqual(['doctor'])
  })
})

describe('what the history of a document names resolves it:', () => {
  it('a document did not exist at a time', async () => {
    const [first] = world.platform.documents.get('CL') as Buffer[]
    const { id } = JSON.parse(String(first))
    const { code, stderr } = await longshore(`history CL ${id} --at 2020-01-01`)
    expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: [`history CL ${id}`] })
    expect(await longshore(`history CL ${id}`)).toMatchObject({ code: 0 })
    const missing = await longshore('history CL nobody')
    expect(commandsIn(missing.stderr)).toEqual(['retention CL'])
    expect(await longshore('retention CL')).toMatchObject({ code: 0 })
  })
})

describe('what doctor and status name resolves what they found after a sync:', () => {
  it('the credentials are wrong, and a run failed because of them', async () => {
    const wrong = { appKey: localCredentials.appKey, appToken: 'wrong' }
    await longshore('credentials set --skip-check --no-sync', wrong)
    // The worker keeps credentials until they are rejected.
    world.platform.credentials.splice(0, world.platform.credentials.length, {
      appKey: 'other',
      appToken: 'other',
    })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    world.platform.credentials.splice(0, world.platform.credentials.length, localCredentials)
    expect(await longshore('credentials set --area documents')).toMatchObject({ code: 0 })
    expect(await followStatus()).toBe('credentials set')
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await healthy()
  })

  it('the last two runs failed', async () => {
    world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'status', status: 404 },
      times: 2,
    })
    for (let runs = 0; runs < 2; runs++) expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    const { runId } = await world.lastRun('AD')
    expect(await followStatus()).toBe(`logs ${runId}`)
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 0 })
    await healthy()
  })

  it('a run was refused, and then its change set', async () => {
    await world.compared('CL')
    const whole = world.platform.documents.get('CL') as Buffer[]
    world.platform.documents.set('CL', whole.slice(0, 80))
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    const { runId } = await world.lastRun('CL')
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
    await world.compared('CL')
    await healthy()
    world.platform.documents.set('CL', whole)
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    await world.compared('CL')
  })

  it('the last run failed because the platform did not have the entity', async () => {
    world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'status', status: 404 },
    })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    world.platform.faults.clear()
    const [problem] = await problems()
    expect(problem?.fix).toMatch(
      /^check the name and 'query' of AD in the configuration and deploy, then run /,
    )
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await healthy()
  })

  it('an entity was removed', async () => {
    const instance = JSON.parse(readFileSync(world.bundle.instanceFile, 'utf8'))
    const file = join(world.folder, 'without-ad.json')
    const entities = instance.configuration.entities.filter(({ name }: { name: string }) => name !== 'AD')
    writeFileSync(
      file,
      JSON.stringify({ ...instance, configuration: { ...instance.configuration, entities } }),
    )
    process.env['LONGSHORE_LOCAL'] = file
    const orphans = async () => {
      const { findings } = JSON.parse((await longshore('doctor --json')).stdout) as { findings: Finding[] }
      return findings.flatMap(({ fix = '' }) => (fix.includes(' purge ') ? [fix] : []))
    }
    const [fix = ''] = await orphans()
    const [command = ''] = commandsIn(fix)
    // Without a terminal it asks for --yes, with the whole command.
    const { stderr } = await longshore(command)
    const [confirmed = ''] = commandsIn(stderr.trimEnd())
    expect(confirmed).toBe('purge AD --yes')
    expect(await longshore(confirmed)).toMatchObject({ code: 0 })
    expect(await orphans()).toEqual([])
    process.env['LONGSHORE_LOCAL'] = world.bundle.instanceFile
    // The entity is added again.
    expect(await followStatus()).toBe('sync AD --watch')
    await healthy()
  })

  it('a table failed', async () => {
    await failTable(world)
    // The comparison of the run reads the same page.
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await world.compared('AD')
    await healthy()
  })

  it('the last increment failed', async () => {
    world.platform.faults.add({ match: () => true, fault: { kind: 'ignore-filter' }, times: Infinity })
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    world.platform.faults.clear()
    expect(await problems()).toMatchObject([{ fix: expect.stringContaining('remove increments') as string }])
    expect(await followDoctor()).toEqual(['sync CL --increment --watch'])
    await healthy()
  })

  it('the last window of increments is old', async () => {
    await ageWindow(world, 'CL')
    expect(await followDoctor()).toEqual(['sync CL --increment --watch'])
    await healthy()
  })

  it('the last window of increments is old, because they wait for a full sync', async () => {
    await longshore('changes CL --reset')
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    await ageWindow(world, 'CL')
    expect(await followDoctor()).toEqual(['sync CL --watch'])
    await world.compared('CL')
    expect(await followDoctor()).toEqual(['sync CL --increment --watch'])
    await healthy()
  })

  it('the last increment was skipped', async () => {
    await longshore('changes CL --reset')
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    await healthy()
    expect(await followDoctor(await incrementFindings())).toEqual(['sync CL --watch'])
    await world.compared('CL')
    expect(await incrementFindings()).toEqual([])
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
  })

  it('the snapshot that readers of change sets begin with is gone', async () => {
    const { runId } = await world.lastRun('CL')
    const [Bucket, Key] = [world.bundle.instance.bucket, manifestKey('CL', runId)]
    await awsClients.bucket().send(new DeleteObjectCommand({ Bucket, Key }))
    expect(await problems()).toMatchObject([{ text: expect.stringContaining(`${runId}) is gone`) as string }])
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 1 })
    expect(await followDoctor()).toEqual(['sync CL --watch'])
    await world.compared('CL')
    await healthy()
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
  })

  it('increments missed a change', async () => {
    // The index did not have it when its window was read.
    edit(0, { updatedIn: new Date(Date.now() - 10 * 60_000).toISOString() })
    await longshore('sync CL --watch')
    await world.compared('CL')
    expect(await problems()).toMatchObject([{ text: expect.stringContaining('had missed') as string }])
    expect(await followDoctor()).toEqual(['sync CL --watch'])
    await world.compared('CL')
    await healthy()
  })

  it('increments cannot see a change', async () => {
    expect(await longshore('sync CL --increment --watch')).toMatchObject({ code: 0 })
    edit(1, { updatedIn: null })
    await longshore('sync CL --watch')
    await world.compared('CL')
    const [found] = await incrementFindings()
    expect(found).toMatchObject({ level: 'note', fix: expect.stringContaining('full syncs of CL') as string })
    await longshore('sync CL --watch')
    await world.compared('CL')
    expect(await incrementFindings()).toEqual([])
  })

  it('comparisons keep failing because a page of their base is gone', async () => {
    await deletePage((await world.lastRun('CL')).runId)
    for (let runs = 0; runs < 2; runs++) {
      edit(2, { updatedIn: new Date().toISOString() })
      expect(await followDoctor()).toEqual(runs === 0 ? [] : ['sync CL --watch'])
      if (runs === 0) await longshore('sync CL --watch')
      await failedComparisons(runs + 1)
    }
    expect(await followDoctor()).toEqual(['changes CL --reset'])
    await longshore('sync CL --watch')
    await world.compared('CL')
    await healthy()
  })
})

/** Waits until this many comparisons from the tip of CL have failed. */
async function failedComparisons(count: number): Promise<void> {
  const failures = async () => JSON.parse((await longshore('changes CL --json')).stdout).stopped?.failures
  await vi.waitFor(async () => expect(await failures()).toBe(count), waiting)
}

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
    const { runId } = await world.lastRun('CL')
    await deletePage(runId)
    const { code, stdout } = await longshore('verify CL')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stdout)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    expect(await longshore('verify CL')).toMatchObject({ code: 0 })
  })

  it('a page is gone that a review reads', async () => {
    const whole = world.platform.documents.get('CL') ?? []
    world.platform.documents.set('CL', Array.isArray(whole) ? whole.slice(0, 80) : whole)
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 1 })
    await deletePage((await world.lastRun('CL')).runId)
    const { code, stderr } = await longshore('review CL')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^✗ The stored data is damaged: .* not found in the bucket\.\n/,
      ) as string,
    })
    world.platform.documents.set('CL', whole)
    const [command = ''] = commandsIn(stderr)
    expect(command).toBe('sync CL --watch')
    expect(await longshore(command)).toMatchObject({ code: 0 })
    await longshore('changes CL --reset')
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    await world.compared('CL')
    await healthy()
  })

  it('a consumer missed more change sets than are kept', async () => {
    await longshore('pull CL -o consumer.ndjson')
    await longshore('changes CL --reset')
    await longshore('sync CL --watch')
    await world.compared('CL')
    const { code, stderr } = await longshore('pull CL -o consumer.ndjson --update')
    expect(code).toBe(1)
    const [command = ''] = commandsIn(stderr)
    expect(command).toMatch(/^pull CL -o .*consumer\.ndjson --force$/)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    await longshore('sync CL --watch')
    await world.compared('CL')
    expect(await longshore('pull CL -o consumer.ndjson --update')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a run is not known', 'logs 20200101T000000000Z-0123456789ab', 'status'],
    ['no run is in progress', 'cancel AD', 'runs AD'],
    ['nothing was refused', 'review AD', 'runs AD'],
    ['a snapshot is not kept', 'pull AD --run 20200101T000000000Z-0123456789ab', 'runs AD'],
    ['there is nothing to purge', 'purge XX', 'doctor'],
    ['an entity has no table', 'table CL', 'columns CL'],
  ])('%s', async (_, words, fix) => {
    const { code, stderr } = await longshore(words)
    expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: [fix] })
    expect(await longshore(fix)).toMatchObject({ code: 0 })
  })

  it('a page of a snapshot is gone that is downloaded or has a part of a history', async () => {
    await deletePage((await world.lastRun('CL')).runId)
    const [first] = world.platform.documents.get('CL') as Buffer[]
    const history = await longshore(`history CL ${JSON.parse(String(first)).id}`)
    expect(history).toMatchObject({ code: 1, stderr: expect.stringContaining('restore') as string })
    expect(commandsIn(history.stderr)).toEqual(['retention CL'])
    const { code, stderr } = await longshore('pull CL -o gone.ndjson')
    expect({ code, commands: commandsIn(stderr) }).toEqual({ code: 1, commands: ['verify CL'] })
    const verified = await longshore('verify CL')
    expect(verified.code).toBe(1)
    const [sync = ''] = commandsIn(verified.stdout)
    await longshore('changes CL --reset')
    expect(await longshore(sync)).toMatchObject({ code: 0 })
    await world.compared('CL')
    expect(await longshore('pull CL -o gone.ndjson')).toMatchObject({ code: 0 })
  })

  it('a run is in progress, and npm start has no schedule to pause', async () => {
    const slow = world.platform.faults.add({
      match: (request) => request.kind === 'scroll',
      fault: { kind: 'slow', beforeHeadersMs: 500 },
      times: Infinity,
    })
    const [sync = ''] = commandsIn((await longshore('pause CL')).stderr)
    expect(sync).toBe('sync CL')
    const [watch = ''] = commandsIn((await longshore(sync)).stdout)
    expect(watch).toBe('sync CL --watch')
    const [cancel = ''] = commandsIn((await longshore('sync CL')).stderr)
    expect(cancel).toBe('cancel CL')
    expect(await longshore(cancel)).toMatchObject({ code: 0 })
    slow.remove()
    expect(await longshore(watch)).toMatchObject({ code: 0 })
    await world.compared('CL')
    await healthy()
  })
})

describe('what a result names can be done:', () => {
  it('an increment delivered records', async () => {
    expect(await longshore('pull CL -o CL.ndjson --force')).toMatchObject({ code: 0 })
    edit(3, { updatedIn: new Date().toISOString() })
    const [pull = ''] = commandsIn((await longshore('sync CL --increment --watch')).stdout)
    expect(pull).toBe('pull CL --update')
    expect(await longshore(pull)).toMatchObject({ code: 0 })
    const [status = ''] = commandsIn((await longshore('sync CL --increment')).stdout)
    expect(await longshore(status)).toMatchObject({ code: 0 })
    const [list = ''] = commandsIn((await longshore('runs CL')).stdout)
    expect(list).toBe('runs CL --increments')
    expect(await longshore(list)).toMatchObject({ code: 0 })
  })
})
