import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { localCredentials } from '../../local/platform/platform.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import type { Finding } from '../../operator/doctor/finding.ts'
import { expectHealthy, type LocalWorld, problemsOf, startLocalWorld } from '../drills/local/world.ts'

vi.setConfig({ testTimeout: 60_000 })

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

/** Follows the fix of each problem that doctor finds, from the first to the last. */
async function followDoctor(): Promise<string[]> {
  const followed: string[] = []
  for (const { fix = '' } of await problems()) {
    const [command = ''] = commandsIn(fix)
    if (followed.includes(command)) continue
    followed.push(command)
    expect({ fix, ...(await longshore(command)) }).toMatchObject({ code: 0 })
  }
  return followed
}

/** Deletes a page of a snapshot of CL. */
async function deletePage(runId: string): Promise<void> {
  const [Bucket, Prefix] = [world.bundle.instance.bucket, `snapshots/CL/${runId}/a1`]
  const s3 = awsClients.bucket()
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
  await s3.send(new DeleteObjectCommand({ Bucket, Key: Contents[0]?.Key ?? '' }))
}

describe('what doctor names resolves what it found:', () => {
  it('nothing was synced yet', async () => {
    expect(await followDoctor()).toEqual(['sync CL --watch', 'sync AD --watch'])
    await healthy()
  })

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
    expect(await followDoctor()).toEqual(['credentials set', 'sync AD --watch'])
    await healthy()
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
    expect(await followDoctor()).toEqual(['sync AD --watch'])
    await healthy()
  })
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
})
